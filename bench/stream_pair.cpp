// Runs of the probe's own STREAM loops and of the plain ones take turns on the same three arrays
// and the same pinned threads. Arguments: elements of each array, rounds, page kind (huge or base),
// numbers of cores. Prints one line a measurement: cores kernel ours|reference round seconds. Ends
// with 1 when a result is wrong.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "probes/memory_bandwidth/stream.hpp"

extern "C" void stream_reference(double* a, double* b, double* c, long n, int threads,
                                 double seconds[4]);

namespace {

namespace base = hakaru::base;
using namespace hakaru::probes::memory_bandwidth;

void ours(base::PinnedTeam& team, StreamArrays& arrays, int round) {
  for (const StreamSample& sample : run_stream(team, arrays, 1).samples)
    std::printf("%d %s ours %d %.9g\n", team.size(), name_of(sample.kernel), round, sample.seconds);
}

void reference(base::PinnedTeam& team, StreamArrays& arrays, int round) {
  constexpr Kernel kernels[4] = {Kernel::copy, Kernel::scale, Kernel::add, Kernel::triad};
  double seconds[4];
  stream_reference(arrays.a.data(), arrays.b.data(), arrays.c.data(),
                   static_cast<long>(arrays.size()), team.size(), seconds);
  for (int i = 0; i < 4; ++i)
    std::printf("%d %s reference %d %.9g\n", team.size(), name_of(kernels[i]), round, seconds[i]);
}

// Both reproduce a and c in each run; b differs, because the probe's last kernel writes it.
bool right(const StreamArrays& arrays, int runs) {
  const Expected expected = expected_after(runs);
  double sum = 0.0;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    sum += std::abs(arrays.a[i] / expected.a - 1.0) + std::abs(arrays.c[i] / expected.c - 1.0);
  return sum / (2.0 * static_cast<double>(arrays.size())) <= 1e-13;
}

bool compare(std::size_t elements, int rounds, hakaru::base::Pages pages, int cores) {
  std::vector<int> processors = base::distinct_cores();
  processors.resize(cores);
  base::PinnedTeam team(processors);
  StreamArrays arrays(elements, pages);
  first_touch(team, arrays);
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0) ours(team, arrays, round);
    reference(team, arrays, round);
    if (round % 2 == 1) ours(team, arrays, round);
  }
  return team.in_place() && right(arrays, 2 * rounds);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 5) return 2;
  const auto pages = std::string(arguments[3]) == "huge" ? hakaru::base::Pages::transparent_huge
                                                         : hakaru::base::Pages::base;
  for (int i = 4; i < count; ++i)
    if (!compare(std::strtoull(arguments[1], nullptr, 10), std::atoi(arguments[2]), pages,
                 std::atoi(arguments[i]))) {
      std::fprintf(stderr, "stream_pair: wrong result or moved thread on %s cores\n", arguments[i]);
      return 1;
    }
  return 0;
}
