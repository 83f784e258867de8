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

  Sparse(std::int64_t elements, std::int64_t rows, base::Pages pages)
      : values(elements, pages), x(rows, pages), y(rows, pages), columns(elements, pages) {}

  void fill(const IndexedShape& shape) {
    constexpr int bits = 32;
    const auto count = static_cast<std::uint64_t>(shape.rows);
    for (std::int64_t i = 0; i < shape.rows; ++i) x[i] = static_cast<double>(i % 1000);
    std::fill_n(y.data(), shape.rows, 0.0);
    for (std::int64_t k = 0; k < shape.elements(); ++k) {
      const auto mixed = base::mixed_bits(static_cast<std::uint64_t>(k) * base::golden_step);
      values[k] = static_cast<double>(1 + k % 3);
      columns[k] = static_cast<std::int32_t>((mixed >> bits) * count >> bits);
    }
  }

  void multiply(const IndexedShape& shape) {
    for (std::int64_t i = 0; i < shape.rows; ++i) {
      const double* value = values.data() + i * shape.row;
      const std::int32_t* column = columns.data() + i * shape.row;
      const double* from = x.data();
      double sum = 0.0;
#pragma omp simd reduction(+ : sum)
      for (std::int64_t k = 0; k < shape.row; ++k) sum += value[k] * from[column[k]];
      y[i] = sum;
    }
  }

  std::int64_t count_wrong(const IndexedShape& shape) const {
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < shape.rows; ++i) {
      std::int64_t expected = 0;
      for (std::int64_t k = i * shape.row; k < (i + 1) * shape.row; ++k)
        expected += (1 + k % 3) * (columns[k] % 1000);
      if (y[i] != static_cast<double>(expected)) ++wrong;
    }
    return wrong;
  }
};

}  // namespace

IndexedShape indexed_shape(std::int64_t working_set, std::int64_t row, std::int64_t sample_bytes) {
  const double of_row = IndexedShape{row, 1, 1}.bytes();
  const auto rows = std::max<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(working_set) / of_row), 1);
  const double pass_bytes = of_row * static_cast<double>(rows);
  const auto passes = static_cast<std::int64_t>(static_cast<double>(sample_bytes) / pass_bytes);
  return {row, rows, std::max<std::int64_t>(passes, 1)};
}

IndexedResult run_indexed(base::PinnedTeam& team, const std::vector<std::int64_t>& working_sets,
                          std::int64_t sample_bytes, int repetitions, base::Pages pages,
                          bool damage) {
  IndexedResult result;
  TimedRegion region(team.size());
  std::atomic<std::int64_t> wrong{0};
  std::vector<IndexedShape> shapes;
  for (const std::int64_t row : indexed_rows)
    for (const std::int64_t working_set : working_sets)
      shapes.push_back(indexed_shape(working_set, row, sample_bytes));
  std::int64_t most_elements = 0, most_rows = 0;
  for (const IndexedShape& shape : shapes) {
    most_elements = std::max(most_elements, shape.elements());
    most_rows = std::max(most_rows, shape.rows);
  }
  std::vector<Sparse> memory;
  for (int thread = 0; thread < team.size(); ++thread)
    memory.emplace_back(most_elements, most_rows, pages);
#pragma omp parallel num_threads(team.size())
  {
    const int thread = omp_get_thread_num();
    Sparse& own = memory[static_cast<std::size_t>(thread)];
    for (const IndexedShape& shape : shapes) {
      own.fill(shape);
      for (int repetition = 0; repetition <= repetitions; ++repetition) {
        const double seconds = region.time([&] {
          for (std::int64_t pass = 0; pass < shape.passes; ++pass) own.multiply(shape);
        });
        if (thread == 0 && repetition > 0)
          result.samples.push_back(
              {shape, repetition, seconds / static_cast<double>(shape.passes)});
      }
      if (damage && thread == 0) own.y[shape.rows - 1] += 1.0;
      wrong += own.count_wrong(shape);
    }
  }
  result.wrong = static_cast<double>(wrong.load());
  return result;
}

}  // namespace hakaru::probes::memory_bandwidth
