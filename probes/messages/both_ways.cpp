// Messages of both ranks to each other at once, and what computing around them costs.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <vector>

#include "native/base/chain.hpp"
#include "native/base/clock.hpp"
#include "probes/messages/halves.hpp"
#include "probes/messages/point_to_point.hpp"

namespace hakaru::probes::messages {

void PointToPoint::start_both_ways(std::int64_t bytes, MPI_Request (&requests)[2]) {
  const int count = static_cast<int>(bytes);
  HAKARU_MPI(MPI_Irecv(incoming_.data(), count, MPI_BYTE, other_, payload_tag, pair_.handle(),
                       &requests[0]));
  HAKARU_MPI(MPI_Isend(outgoing_.data(), count, MPI_BYTE, other_, payload_tag, pair_.handle(),
                       &requests[1]));
}

void PointToPoint::make_both_ways(std::int64_t bytes, MPI_Request (&requests)[2]) {
  const int count = static_cast<int>(bytes);
  HAKARU_MPI(MPI_Recv_init(incoming_.data(), count, MPI_BYTE, other_, payload_tag, pair_.handle(),
                           &requests[0]));
  HAKARU_MPI(MPI_Send_init(outgoing_.data(), count, MPI_BYTE, other_, payload_tag, pair_.handle(),
                           &requests[1]));
}

double PointToPoint::both_ways(std::int64_t bytes, int iterations, double apart_s, Requests of) {
  const std::int64_t work = work_.steps(apart_s);
  exchange(bytes);
  const double seconds = mean_of_halves(
      iterations, [&] { one_more(pair_); },
      [&](int count) { return row_s(bytes, of, count, work, 0); });
  return seconds - work_.run_s(work, iterations);
}

double PointToPoint::row_s(std::int64_t bytes, Requests of, int count, std::int64_t before,
                           std::int64_t beside) {
  constexpr int warmup = 2;
  const bool persistent = of == Requests::persistent;
  MPI_Request requests[2];
  if (persistent) make_both_ways(bytes, requests);
  double start = 0.0;
  for (int i = -warmup; i < count; ++i) {
    if (i == 0) start = base::now_s();
    work_.run(before);
    if (persistent)
      HAKARU_MPI(MPI_Startall(2, requests));
    else
      start_both_ways(bytes, requests);
    work_.run(beside);
    HAKARU_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  }
  const double seconds = base::now_s() - start;
  if (persistent)
    for (MPI_Request& request : requests) HAKARU_MPI(MPI_Request_free(&request));
  return seconds;
}

double PointToPoint::work(std::int64_t steps) {
  const double start = base::now_s();
  work_.run(steps);
  return base::now_s() - start;
}

WorkedExchange PointToPoint::post_work_wait(double work_s, std::int64_t bytes, int iterations) {
  constexpr int trials = 3;
  const std::int64_t steps = work_.steps(work_s);
  exchange(bytes);
  wait_computing(work_s);  // until nothing of that is under way
  double quiet_s = work(steps);
  for (int i = 1; i < trials; ++i) quiet_s = std::min(quiet_s, work(steps));
  const double seconds =
      mean_of_halves((iterations + 1) / 2, [&] { one_more(pair_); },
                     [&](int count) { return row_s(bytes, Requests::new_ones, count, 0, steps); });
  return {seconds, pair_.maximum(quiet_s)};
}

void PointToPoint::sweep(const Work& work) {
  constexpr std::size_t page = 4096 / sizeof(double);
  const std::size_t room = static_cast<std::size_t>(work.memory_bytes) / sizeof(double);
  if (swept_.size() < room) {
    swept_ = base::AlignedArray<double>(room, base::Pages::base);
    std::fill(swept_.begin(), swept_.end(), 1.0);
  }
  if (work.same_each_time) sweep_at_ = 0;
  const double start = base::now_s();
  double now = start;
  while (now - start < work.seconds) {
    if (sweep_at_ + page > room) sweep_at_ = 0;
    for (double* one = swept_.data() + sweep_at_; one != swept_.data() + sweep_at_ + page; ++one)
      *one = 0.5 * *one + 1.0;
    sweep_at_ += page;
    now = base::now_s();
  }
}

// Numbers that follow from each other, so that their stores come one by one, as those of programs
// that compute or pack what they send. Stores in a burst would still be on their way to the caches
// at the send, and count as the message's time (a Xeon, 5.6 KB: 2.3 us after these, 2.7 by memset).
void PointToPoint::write(std::int64_t bytes) {
  double number = static_cast<double>(state_ % 2);
  for (std::int64_t at = 0; at < bytes; at += sizeof number) {
    number = 0.5 * number + 1.0;
    std::memcpy(&outgoing_[at], &number, std::min<std::size_t>(sizeof number, bytes - at));
  }
}

// Adds up what was received, works, and writes what will be sent.
void PointToPoint::compute(const Work& work, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; ++i) state_ += static_cast<unsigned char>(incoming_[i]);
  sweep(work);
  write(bytes);
}

double PointToPoint::clock_ahead_s() {
  constexpr std::size_t trips = 8;
  std::vector<double> there(trips);
  double quickest_s = INFINITY;
  std::vector<double> ahead_s(1);
  std::array<double, trips> start{}, end{};
  for (std::size_t i = 0; i < trips; ++i) {
    start[i] = base::now_s();
    if (pair_.rank() == 0) send(0);
    receive(0);
    there[i] = base::now_s();
    if (pair_.rank() == 1) send(0);
    end[i] = base::now_s();
  }
  pair_.broadcast(there, 1);
  for (std::size_t i = 0; i < trips; ++i) {
    if (end[i] - start[i] >= quickest_s) continue;
    quickest_s = end[i] - start[i];
    ahead_s[0] = there[i] - 0.5 * (start[i] + end[i]);
  }
  pair_.broadcast(ahead_s, 0);
  return ahead_s[0];
}

namespace {

double middle_of(std::vector<double>& numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

}  // namespace

AfterWork PointToPoint::exchange_after_work(const Work& work, std::int64_t bytes, int iterations) {
  constexpr int warmup = 2;
  const double ahead_s = pair_.rank() * clock_ahead_s();
  std::vector<double> ready, done, cold;
  for (std::vector<double>* one : {&ready, &done, &cold})
    one->reserve(static_cast<std::size_t>(iterations));
  const double start = base::now_s();
  for (int i = -warmup; i < iterations; ++i) {
    if (i == iterations / 2) one_more(pair_);
    compute(work, bytes);
    const double cold_s = caches_.cold_s();
    MPI_Request requests[2];
    const double now = base::now_s();
    start_both_ways(bytes, requests);
    HAKARU_MPI(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    if (i < 0) continue;
    done.push_back(base::now_s() - ahead_s);
    ready.push_back(now - ahead_s);
    cold.push_back(cold_s);
  }
  const double seconds = (base::now_s() - start) / (iterations + warmup);
  pair_.reduce_all(ready, MPI_MAX);
  pair_.reduce_all(done, MPI_MAX);
  std::vector<double> exchange_s(ready.size());
  std::transform(done.begin(), done.end(), ready.begin(), exchange_s.begin(), std::minus<>());
  return {middle_of(exchange_s), pair_.sum(middle_of(cold)) / 2, seconds};
}

}  // namespace hakaru::probes::messages
