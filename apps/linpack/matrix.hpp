// The matrix [A b] of one rank, stored by rows.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/linpack/problem.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::linpack {

// Elements (i, first) ... (i, first + count - 1) of [A b]: uniform in (-1/2, 1/2), a function of
// seed, row and column alone.
void elements(std::uint64_t seed, std::int64_t i, std::int64_t first, std::int64_t count,
              double* out);

class LocalMatrix {
 public:
  LocalMatrix() = default;
  LocalMatrix(const Problem& problem, int row, int column);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t stride() const { return stride_; }  // from row to row
  double* row(std::int64_t i) { return data_.data() + i * stride_; }
  const double* row(std::int64_t i) const { return data_.data() + i * stride_; }

  // Element by element; where only some panels are eliminated, b is what makes x = 1 the solution.
  void generate();

 private:
  void generate_row(std::int64_t i);

  Problem problem_;
  int row_ = 0, column_ = 0;
  std::int64_t rows_ = 0, columns_ = 0, stride_ = 0;
  base::AlignedArray<double> data_;
};

// For each own row i: out[i] = sum over own columns j < n of A_ij x_j; `absolute[i]` that of
// |A_ij|, `columns[j]` += |A_ij|. A is generated anew.
struct RowSums {
  std::vector<double> product, absolute, columns;
};
RowSums row_sums(const Problem& problem, int row, int column, const std::vector<double>& x);

}  // namespace hakaru::apps::linpack
