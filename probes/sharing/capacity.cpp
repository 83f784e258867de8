#include "probes/sharing/capacity.hpp"

#include <cmath>
#include <memory>
#include <random>

#include "native/base/aligned.hpp"
#include "probes/memory_latency/chain.hpp"

namespace hakaru::probes::sharing {
namespace {

constexpr std::size_t line_bytes = 64, loads_of_one = 1024;

struct Chain {
  Chain(std::int64_t bytes, int seed)
      : memory(static_cast<std::size_t>(bytes)),
        slots(static_cast<std::size_t>(bytes) / line_bytes) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed) + 1);
    place = memory_latency::link(memory.data(),
                                 {slots, line_bytes, 0, memory_latency::Pattern::random}, random);
  }
  base::AlignedArray<std::byte> memory;
  std::size_t slots;
  void** place;
};

}  // namespace

CapacitySamples loads_at_once(const base::PinnedTeam& team, std::int64_t bytes,
                              const Sampling& sampling) {
  std::vector<std::unique_ptr<Chain>> chains(static_cast<std::size_t>(team.size()));
#pragma omp parallel num_threads(team.size())
  {
    const int thread = omp_get_thread_num();
    chains[static_cast<std::size_t>(thread)] = std::make_unique<Chain>(bytes, thread);
  }
  const auto follow = [&](int thread, std::int64_t count) {
    Chain& own = *chains[static_cast<std::size_t>(thread)];
    own.place = memory_latency::chase(own.place, static_cast<std::size_t>(count) * loads_of_one);
  };
  const auto once_through = static_cast<std::int64_t>(chains[0]->slots / loads_of_one + 1);
  const std::int64_t count = std::max(once_through, count_for(team, sampling.least_s, follow));
  slowest_s(team, once_through, follow);  // warms
  CapacitySamples found;
  for (int i = 0; i < sampling.samples; ++i) {
    double total_s = 0.0;
    for (double seconds : together(team, count, follow)) total_s += seconds;
    found.seconds.push_back(total_s / team.size() / static_cast<double>(count * loads_of_one));
  }
  for (const auto& chain : chains)
    found.wrong += memory_latency::cycle_length(chain->place, chain->slots) != chain->slots;
  return found;
}

std::vector<std::int64_t> working_sets(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> found;
  for (int quarter = 0;; ++quarter) {
    const double size = static_cast<double>(least) * std::exp2(quarter / 4.0);
    const std::int64_t bytes = static_cast<std::int64_t>(size) / 4096 * 4096;
    if (bytes > most) return found;
    if (bytes > 0 && (found.empty() || bytes > found.back())) found.push_back(bytes);
  }
}

}  // namespace hakaru::probes::sharing
