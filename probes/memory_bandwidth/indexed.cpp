#include "probes/memory_bandwidth/indexed.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>

#include "native/base/mixed_bits.hpp"
#include "probes/memory_bandwidth/timed_region.hpp"

namespace hakaru::probes::memory_bandwidth {
namespace {

// Of one core, with room for the largest shape. Sums of its numbers are exact.
struct Sparse {
  base::AlignedArray<double> values, x, y;
  base::AlignedArray<std::int32_t> columns;

  Sparse(std::int64_t rows, base::Pages pages)
      : values(rows * indexed_row, pages),
        x(rows, pages),
        y(rows, pages),
        columns(rows * indexed_row, pages) {}

  void fill(std::int64_t rows) {
    const auto count = static_cast<std::uint64_t>(rows);
    for (std::int64_t i = 0; i < rows; ++i) x[i] = static_cast<double>(i % 1000);
    std::fill_n(y.data(), rows, 0.0);
    for (std::int64_t k = 0; k < rows * indexed_row; ++k) {
      values[k] = static_cast<double>(1 + k % 3);
      columns[k] = static_cast<std::int32_t>(
          base::mixed_bits(static_cast<std::uint64_t>(k) * base::golden_step) % count);
    }
  }

  void multiply(std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const double* value = values.data() + row * indexed_row;
      const std::int32_t* column = columns.data() + row * indexed_row;
      const double* from = x.data();
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t k = 0; k < indexed_row; ++k) sum += value[k] * from[column[k]];
      y[row] = sum;
    }
  }

  std::int64_t count_wrong(std::int64_t rows) const {
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int64_t expected = 0;
      for (std::int64_t k = row * indexed_row; k < (row + 1) * indexed_row; ++k)
        expected += (1 + k % 3) * (columns[k] % 1000);
      if (y[row] != static_cast<double>(expected)) ++wrong;
    }
    return wrong;
  }
};

}  // namespace

IndexedShape indexed_shape(std::int64_t working_set, std::int64_t sample_bytes) {
  const double of_row = IndexedShape{1, 1}.bytes();
  const auto rows = std::max<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(working_set) / of_row), 1);
  const double pass_bytes = of_row * static_cast<double>(rows);
  return {rows, std::max<std::int64_t>(
                    static_cast<std::int64_t>(static_cast<double>(sample_bytes) / pass_bytes), 1)};
}

IndexedResult run_indexed(base::PinnedTeam& team, const std::vector<std::int64_t>& working_sets,
                          std::int64_t sample_bytes, int repetitions, base::Pages pages,
                          bool damage) {
  IndexedResult result;
  TimedRegion region(team.size());
  std::atomic<std::int64_t> wrong{0};
  const std::int64_t most_rows = indexed_shape(working_sets.back(), sample_bytes).rows;
  std::vector<Sparse> memory;
  for (int thread = 0; thread < team.size(); ++thread) memory.emplace_back(most_rows, pages);
#pragma omp parallel num_threads(team.size())
  {
    const int thread = omp_get_thread_num();
    Sparse& own = memory[static_cast<std::size_t>(thread)];
    for (const std::int64_t working_set : working_sets) {
      const IndexedShape shape = indexed_shape(working_set, sample_bytes);
      own.fill(shape.rows);
      for (int repetition = 0; repetition <= repetitions; ++repetition) {
        const double seconds = region.time([&] {
          for (std::int64_t pass = 0; pass < shape.passes; ++pass) own.multiply(shape.rows);
        });
        if (thread == 0 && repetition > 0)
          result.samples.push_back(
              {shape, repetition, seconds / static_cast<double>(shape.passes)});
      }
      if (damage && thread == 0) own.y[shape.rows - 1] += 1.0;
      wrong += own.count_wrong(shape.rows);
    }
  }
  result.wrong = static_cast<double>(wrong.load());
  return result;
}

}  // namespace hakaru::probes::memory_bandwidth
