// A part of the matrix in compressed rows.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/cg/problem.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::cg {

// Rows and columns of the whole matrix that a part holds. In the part columns are counted from
// `columns.first`; when `column_ranks` > 0 they are places in a vector whose blocks each begin at a
// multiple of the widest block's length, as they lie after all ranks have gathered them.
struct Part {
  Block rows, columns;
  int column_ranks = 0;
};

class Matrix {
 public:
  Matrix(const Problem& problem, const Part& part);

  // y = M x
  void multiply(const double* x, double* y) const;
  // y += M x
  void add_product(const double* x, double* y) const;

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(values_.size()); }
  std::int64_t rows() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  void damage() { values_[0] += 0.1; }

 private:
  std::vector<std::int64_t> starts_;
  base::AlignedArray<std::int32_t> columns_;
  base::AlignedArray<double> values_;
};

}  // namespace hakaru::apps::cg
