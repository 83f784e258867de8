#include "probes/putget/sampling.hpp"

#include <algorithm>
#include <numeric>

namespace hakaru::probes::putget {

Rows rows_of(std::int64_t bytes, std::int64_t room_bytes, int most) {
  constexpr std::int64_t longest_row = 8, most_rows = 100, most_bytes = 16 << 20;
  const std::int64_t places = std::clamp<std::int64_t>(room_bytes / bytes, 1, longest_row);
  const std::int64_t fit = std::max<std::int64_t>(most_bytes / (places * bytes), 1);
  const std::int64_t rows = std::min({std::int64_t{most}, most_rows, fit});
  return {static_cast<int>(places), static_cast<int>(rows)};
}

double compute_numbers(double* numbers, std::size_t count, double from) {
  double number = from;
  for (std::size_t i = 0; i < count; ++i) numbers[i] = number = 0.5 * number + 1.0;
  return 0.5 * number;
}

double use_numbers(const double* numbers, std::size_t count) {
  return 0.5 * std::accumulate(numbers, numbers + count, 0.0) / static_cast<double>(count);
}

void sample_in_turns(const parallel::Communicator& communicator, const std::vector<Point>& points,
                     int samples, double sample_s, const std::function<void(double)>& progress) {
  constexpr double most_iterations = 20'000;
  std::vector<int> iterations;
  for (const Point& point : points) {
    point.measure(2);
    double seconds = point.measure(3);
    HAKARU_MPI(MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, communicator.handle()));
    iterations.push_back(
        static_cast<int>(std::clamp(sample_s / std::max(seconds, 1e-9), 1.0, most_iterations)));
  }
  for (int repetition = 0; repetition < samples; ++repetition) {
    for (std::size_t turn = 0; turn < points.size(); ++turn) {
      const std::size_t i = repetition % 2 == 0 ? turn : points.size() - 1 - turn;
      const double seconds = points[i].measure(iterations[i]);
      if (communicator.rank() == 0) points[i].keep(repetition, seconds);
    }
    progress((repetition + 1.0) / samples);
  }
}

}  // namespace hakaru::probes::putget
