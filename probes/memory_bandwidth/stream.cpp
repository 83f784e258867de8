#include "probes/memory_bandwidth/stream.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "probes/memory_bandwidth/timed_region.hpp"

namespace hakaru::probes::memory_bandwidth {
namespace {

constexpr Expected initial{1.0, 2.0, 0.0};

// A NaN is the largest error of all.
double worse(double error, double other) {
  return error >= other || std::isnan(error) ? error : other;
}

}  // namespace

Part part_of(int thread, int threads, std::size_t elements) {
  const auto boundary = [&](std::size_t index) {
    return index == static_cast<std::size_t>(threads)
               ? elements
               : elements / threads * index / alignment_elements * alignment_elements;
  };
  const std::size_t begin = boundary(thread);
  return {begin, boundary(thread + 1) - begin};
}

Expected expected_after(int runs) {
  Expected x = initial;
  for (int run = 0; run < runs; ++run) {
    x.c = x.a;
    x.b = scalar * x.c;
    x.c = x.a + x.b;
    x.a = x.b + scalar * x.c;
    x.b = x.c + scalar * x.a;
  }
  return x;
}

void first_touch(base::PinnedTeam& team, StreamArrays& arrays) {
#pragma omp parallel num_threads(team.size())
  {
    const Part part = part_of(omp_get_thread_num(), team.size(), arrays.size());
    for (std::size_t i = part.begin; i < part.begin + part.count; ++i) {
      arrays.a[i] = initial.a;
      arrays.b[i] = initial.b;
      arrays.c[i] = initial.c;
    }
  }
}

StreamResult run_stream(base::PinnedTeam& team, StreamArrays& arrays, int runs) {
  StreamResult result;
  TimedRegion region(team.size());
  std::vector<double> sums(team.size() * 16);  // 128 B apart
#pragma omp parallel num_threads(team.size())
  {
    const int thread = omp_get_thread_num();
    const Part part = part_of(thread, team.size(), arrays.size());
    double *a = arrays.a.data() + part.begin, *b = arrays.b.data() + part.begin,
           *c = arrays.c.data() + part.begin;
    for (int run = 1; run <= runs; ++run)
      for (const Kernel kernel : all_kernels) {
        const double seconds =
            region.time([&] { sums[thread * 16] = run_kernel(kernel, a, b, c, part.count); });
        if (thread != 0) continue;
        result.samples.push_back({kernel, run, seconds});
        if (kernel != Kernel::read) continue;
        double sum = 0.0;
        for (int other = 0; other < team.size(); ++other) sum += sums[other * 16];
        result.sums.push_back(sum);
      }
  }
  return result;
}

StreamErrors errors_of(const StreamArrays& arrays, const StreamResult& result, int runs) {
  StreamErrors errors;
  const Expected expected = expected_after(runs);
  const auto compare = [&](const base::AlignedArray<double>& array, double value) {
    double sum = 0.0;
    for (const double x : array) {
      const double error = std::abs(x - value) / std::abs(value);
      sum += error;
      errors.largest = worse(error, errors.largest);
    }
    errors.average = worse(sum / static_cast<double>(array.size()), errors.average);
  };
  compare(arrays.a, expected.a);
  compare(arrays.b, expected.b);
  compare(arrays.c, expected.c);
  const auto count = static_cast<double>(arrays.size());
  for (int run = 1; run <= static_cast<int>(result.sums.size()); ++run) {
    const double sum = count * expected_after(run).a;
    errors.read = worse(std::abs(result.sums[run - 1] - sum) / sum, errors.read);
  }
  // Each of the partial sums adds at most count / read_sums numbers (Higham, Accuracy and Stability
  // of Numerical Algorithms, 4.2).
  errors.read_bound = (count / read_sums + 100.0) * std::numeric_limits<double>::epsilon();
  return errors;
}

}  // namespace hakaru::probes::memory_bandwidth
