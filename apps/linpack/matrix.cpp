#include "apps/linpack/matrix.hpp"

#include <cmath>

#include "native/base/keyed_random.hpp"

namespace hakaru::apps::linpack {
namespace {

constexpr std::int64_t worth_threads = 1 << 16;  // elements

// Rows that start on different cache sets: an odd number of lines of 64 B apart.
std::int64_t padded(std::int64_t columns) { return ((columns + 7) / 8 | 1) * 8; }

}  // namespace

void elements(std::uint64_t seed, std::int64_t i, std::int64_t first, std::int64_t count,
              double* out) {
  base::KeyedRandom random{seed, static_cast<std::uint64_t>(i)};
  random.skip(static_cast<std::uint64_t>(first));
  for (std::int64_t j = 0; j < count; ++j) out[j] = random.uniform() - 0.5;
}

LocalMatrix::LocalMatrix(const Problem& problem, int row, int column)
    : problem_(problem),
      row_(row),
      column_(column),
      rows_(problem.rows_below(problem.n, row)),
      columns_(problem.columns_below(problem.n + 1, column)),
      stride_(padded(columns_)),
      data_(static_cast<std::size_t>(std::max<std::int64_t>(1, rows_ * stride_))) {}

void LocalMatrix::generate() {
#pragma omp parallel for if (rows_ * columns_ > worth_threads)
  for (std::int64_t i = 0; i < rows_; ++i) generate_row(i);
}

void LocalMatrix::generate_row(std::int64_t i) {
  const Problem& p = problem_;
  const std::int64_t place = global_index(i, p.nb, row_, p.grid.rows);
  for (std::int64_t j = 0; j < columns_; j += p.nb) {
    const std::int64_t first = global_index(j, p.nb, column_, p.grid.columns);
    elements(p.seed, place, first, std::min(p.nb, columns_ - j), row(i) + j);
  }
  if (p.whole() || p.columns_below(p.n, column_) == columns_) return;
  std::vector<double> whole(static_cast<std::size_t>(p.n));
  elements(p.seed, place, 0, p.n, whole.data());
  double sum = 0.0;
  for (const double element : whole) sum += element;
  row(i)[columns_ - 1] = sum;
}

RowSums row_sums(const Problem& p, int row, int column, const std::vector<double>& x) {
  const std::int64_t rows = p.rows_below(p.n, row), columns = p.columns_below(p.n, column);
  RowSums sums;
  sums.product.assign(static_cast<std::size_t>(rows), 0.0);
  sums.absolute = sums.product;
  sums.columns.assign(static_cast<std::size_t>(columns), 0.0);
  std::vector<double> block(static_cast<std::size_t>(p.nb));
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t place = global_index(i, p.nb, row, p.grid.rows);
    for (std::int64_t j = 0; j < columns; j += p.nb) {
      const std::int64_t first = global_index(j, p.nb, column, p.grid.columns);
      const std::int64_t count = std::min(p.nb, columns - j);
      elements(p.seed, place, first, count, block.data());
      for (std::int64_t k = 0; k < count; ++k) {
        sums.product[i] += block[k] * x[first + k];
        sums.absolute[i] += std::abs(block[k]);
        sums.columns[j + k] += std::abs(block[k]);
      }
    }
  }
  return sums;
}

}  // namespace hakaru::apps::linpack
