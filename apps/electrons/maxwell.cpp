#include "apps/electrons/maxwell.hpp"

#include <algorithm>
#include <array>
#include <numbers>

#include "apps/electrons/field.hpp"

namespace hakaru::apps::electrons {

Maxwell::Maxwell(const Film& film, const RankLayout& layout, int rank,
                 const parallel::Communicator& line, const std::function<double(double)>& pulse,
                 const Clock& clock)
    : film_(film), line_(line), clock_(clock) {
  const Part mine = layout.points_of(rank);
  left_end_ = layout.group_of(rank) == 0, right_end_ = layout.group_of(rank) + 1 == layout.groups;
  first_ = left_end_ ? 0 : film.before + mine.first;
  const int last = right_end_ ? film.cells() : film.before + mine.last;
  offset_ = 1 + film.before + mine.first - first_, points_ = mine.count();
  for (auto* values : {&now_, &last_, &next_}) values->assign(last - first_ + 2, 0.0);
  for (int i = 0; i < last - first_; ++i) {
    const double arrival = (film.before - first_ - i) * film.spacing / light_speed;
    now_[i + 1] = pulse(arrival);
    last_[i + 1] = pulse(arrival - film.dt);
  }
}

double Maxwell::exchange(double request) {
  const TimedPass time(clock_, clock_.exchange);
  const int left = left_end_ ? MPI_PROC_NULL : line_.rank() - 1,
            right = right_end_ ? MPI_PROC_NULL : line_.rank() + 1;
  const std::size_t end = now_.size() - 1;
  using Message = std::array<double, 2>;
  const Message to_left{now_[1], request}, to_right{now_[end - 1], request};
  Message from_left{now_[0], no_request}, from_right{now_[end], no_request};
  HAKARU_MPI(MPI_Sendrecv(to_left.data(), 2, MPI_DOUBLE, left, 0, from_right.data(), 2, MPI_DOUBLE,
                          right, 0, line_.handle(), MPI_STATUS_IGNORE));
  HAKARU_MPI(MPI_Sendrecv(to_right.data(), 2, MPI_DOUBLE, right, 1, from_left.data(), 2, MPI_DOUBLE,
                          left, 1, line_.handle(), MPI_STATUS_IGNORE));
  now_[0] = from_left[0], now_[end] = from_right[0];
  return std::min({request, from_left[1], from_right[1]});
}

double Maxwell::step(const std::vector<double>& currents, double request) {
  request = exchange(request);
  const double ratio = light_speed * film_.dt / film_.spacing, square = ratio * ratio;
  const std::size_t end = now_.size() - 1;
  for (std::size_t i = 1; i < end; ++i)
    next_[i] = 2.0 * now_[i] - last_[i] + square * (now_[i + 1] - 2.0 * now_[i] + now_[i - 1]);
  for (int i = 0; i < points_; ++i)
    next_[offset_ + i] -= 4.0 * std::numbers::pi * film_.dt * film_.dt * currents[i];
  const double mur = (ratio - 1.0) / (ratio + 1.0);
  if (left_end_) next_[1] = now_[2] + mur * (next_[2] - now_[1]);
  if (right_end_) next_[end - 1] = now_[end - 2] + mur * (next_[end - 2] - now_[end - 1]);
  last_.swap(now_);
  now_.swap(next_);
  return request;
}

double Maxwell::energy() const {
  double sum = 0.0;
  for (std::size_t i = 1; i + 1 < now_.size(); ++i) {
    const double electric = (now_[i] - last_[i]) / film_.dt;
    double magnetic = 0.0;
    if (i + 2 < now_.size())
      magnetic = light_speed * light_speed * (now_[i + 1] - now_[i]) * (last_[i + 1] - last_[i]) /
                 (film_.spacing * film_.spacing);
    sum += electric * electric + magnetic;
  }
  return film_.spacing * sum / (8.0 * std::numbers::pi);
}

}  // namespace hakaru::apps::electrons
