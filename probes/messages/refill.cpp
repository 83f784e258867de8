#include "probes/messages/refill.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "native/base/clock.hpp"
#include "probes/messages/point_to_point.hpp"

namespace hakaru::probes::messages {
namespace {

constexpr int refill_tag = 5;

// From less than a core has of its own to more than cores share.
constexpr std::array<std::int64_t, 5> memories_bytes = {256 << 10, 1 << 20, 4 << 20, 16 << 20,
                                                        64 << 20};
// The first is one exchange.
constexpr std::array<double, 4> waits_s = {0.0, 1e-3, 8e-3, 64e-3};

}  // namespace

Refill::Refill(const parallel::Communicator& pair, std::int64_t memory_bytes)
    : pair_(pair), memory_(static_cast<std::size_t>(memory_bytes) / sizeof(double)) {
  std::fill(memory_.begin(), memory_.end(), 1.0);
}

// Rank 0 decides when it is enough, and says so in its message.
double Refill::exchange_for(double waiting_s) {
  const int other = 1 - pair_.rank();
  const double start = base::now_s();
  double mine = 0.0, theirs = 0.0;
  do {
    mine = base::now_s() - start >= waiting_s ? 1.0 : 0.0;
    HAKARU_MPI(MPI_Sendrecv(&mine, 1, MPI_DOUBLE, other, refill_tag, &theirs, 1, MPI_DOUBLE, other,
                            refill_tag, pair_.handle(), MPI_STATUS_IGNORE));
  } while ((pair_.rank() == 0 ? mine : theirs) == 0.0);
  return base::now_s() - start;
}

double Refill::go_over() {
  const double start = base::now_s();
  for (double& one : memory_) one = 0.5 * one + 0.5;
  return base::now_s() - start;
}

// What has left one cache for the next is back after the second time only. Without a pause what was
// written is on its way to the next cache meanwhile.
RefillTime Refill::after_waiting(double waiting_s) {
  constexpr int times = 2;
  constexpr double pause_s = 1e-4;
  const auto several_s = [&] {
    double seconds = 0.0;
    for (int i = 0; i < times; ++i) seconds += go_over();
    return seconds;
  };
  several_s();
  wait_computing(pause_s);
  const double warm_s = several_s() / times;
  const double waited_s = exchange_for(waiting_s);
  const double seconds = several_s() - (times - 1) * warm_s;
  return {pair_.sum(warm_s) / 2, pair_.sum(seconds) / 2, pair_.sum(waited_s) / 2};
}

std::vector<Point> refill_points(harness::Run& run, const parallel::Communicator& pair,
                                 int number) {
  std::vector<Point> points;
  for (const std::int64_t bytes : memories_bytes) {
    const auto refill = std::make_shared<Refill>(pair, bytes);
    for (const double waiting_s : waits_s)
      points.push_back(whole_point(
          bytes, [=] { return refill->after_waiting(waiting_s); },
          [=, &run](int repetition, const RefillTime& one) {
            run.table("refill").row(
                {number, bytes, waiting_s, repetition, one.waited_s, one.warm_s, one.seconds});
          }));
  }
  return points;
}

}  // namespace hakaru::probes::messages
