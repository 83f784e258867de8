#include "probes/sharing/lines.hpp"

#include <atomic>

namespace hakaru::probes::sharing {
namespace {

struct alignas(256) Line {
  std::atomic<std::int64_t> number{0};
};

}  // namespace

LineSamples line_between(int first, int second, const Sampling& sampling) {
  const base::PinnedTeam team({first, second});
  Line line;
  std::int64_t done = 0;
  // The threads of a team begin at the same number, which is even; thread 0 makes it odd.
  const auto hand_over = [&](int thread, std::int64_t count) {
    const std::int64_t start = done;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t mine = start + 2 * i + thread;
      while (line.number.load(std::memory_order_acquire) != mine) {
      }
      line.number.store(mine + 1, std::memory_order_release);
    }
#pragma omp barrier
    if (thread == 0) done += 2 * count;
  };
  LineSamples found;
  found.seconds = seconds_of_one(team, sampling, hand_over);
  for (double& seconds : found.seconds) seconds /= 2.0;  // there and back
  found.wrong = done - line.number.load();
  return found;
}

}  // namespace hakaru::probes::sharing
