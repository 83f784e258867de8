#include "probes/memory_bandwidth/sweep.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "probes/memory_bandwidth/kernels.hpp"
#include "probes/memory_bandwidth/timed_region.hpp"

namespace hakaru::probes::memory_bandwidth {
namespace {

// Elements from one array to the next. Starts that agree in their last 12 bits would make loads
// wait for stores that they do not depend on, on processors that compare only those.
std::int64_t distance(std::int64_t elements) {
  constexpr std::int64_t page = 4096 / sizeof(double), apart = 40;
  const std::int64_t offset = elements % page;
  return elements + (offset < apart || offset > page - apart ? 2 * apart : 0);
}

std::int64_t count_wrong(const double* a, const double* b, const double* c, std::int64_t elements) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < elements; ++i) {
    const double expected = b[i] + scalar * c[i];
    if (!(std::abs(a[i] - expected) <= 1e-15 * std::abs(expected))) ++wrong;
  }
  return wrong;
}

}  // namespace

SweepShape sweep_shape(std::int64_t working_set, std::int64_t sample_bytes) {
  constexpr auto step = static_cast<std::int64_t>(alignment_elements);
  const auto array_bytes = static_cast<std::int64_t>(3 * sizeof(double));
  const std::int64_t elements = std::max(working_set / array_bytes / step * step, step);
  const auto moved = static_cast<std::int64_t>(traffic(Kernel::triad).bytes) * elements;
  return {elements, std::max<std::int64_t>(sample_bytes / moved, 1)};
}

SweepResult run_sweep(base::PinnedTeam& team, const std::vector<std::int64_t>& working_sets,
                      std::int64_t sample_bytes, int repetitions, base::Pages pages, bool damage) {
  SweepResult result;
  TimedRegion region(team.size());
  std::atomic<std::int64_t> wrong{0};
  const std::int64_t longest = distance(sweep_shape(working_sets.back(), sample_bytes).elements);
  std::vector<base::AlignedArray<double>> memory;
  for (int thread = 0; thread < team.size(); ++thread) memory.emplace_back(3 * longest, pages);
#pragma omp parallel num_threads(team.size())
  {
    const int thread = omp_get_thread_num();
    double* a = memory[thread].data();
    for (std::int64_t i = 0; i < 3 * longest; ++i)
      a[i] = 1.0 + 1e-6 * static_cast<double>(i % 1000);
    for (const std::int64_t working_set : working_sets) {
      const SweepShape shape = sweep_shape(working_set, sample_bytes);
      double *b = a + distance(shape.elements), *c = b + distance(shape.elements);
      for (int repetition = 0; repetition <= repetitions; ++repetition) {
        const double seconds = region.time([&] {
          for (std::int64_t pass = 0; pass < shape.passes; ++pass)
            run_kernel(Kernel::triad, a, b, c, shape.elements);
        });
        if (thread == 0 && repetition > 0)
          result.samples.push_back({shape.elements * static_cast<std::int64_t>(sizeof(double)),
                                    shape.passes, repetition,
                                    seconds / static_cast<double>(shape.passes)});
      }
      if (damage && thread == 0) a[shape.elements - 1] += 1.0;
      wrong += count_wrong(a, b, c, shape.elements);
    }
  }
  result.wrong = static_cast<double>(wrong.load());
  return result;
}

}  // namespace hakaru::probes::memory_bandwidth
