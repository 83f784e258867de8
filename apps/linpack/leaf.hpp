// A few columns of a panel, by columns: what is done to one column after the other runs along it.
#pragma once

#include <cstdint>

#include "apps/linpack/kernels.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::linpack {

class Leaf {
 public:
  Leaf() = default;
  explicit Leaf(std::int64_t most_rows);

  // Columns `begin` to `end` - 1 (at most widest_leaf) of rows `first` to `rows` - 1 of a panel.
  void load(Rowwise panel, std::int64_t first, std::int64_t rows, std::int64_t begin,
            std::int64_t end);
  void store(Rowwise panel) const;

  std::int64_t stride() const { return stride_; }
  // Of the panel's column k; its row i is element i.
  double* column(std::int64_t k) { return data_.data() + (k - begin_) * stride_; }

  // Row i of the panel, `width` elements, with what the leaf has of it.
  void row_out(Rowwise panel, std::int64_t i, std::int64_t width, double* out) const;
  void row_in(Rowwise panel, std::int64_t i, std::int64_t width, const double* in);

 private:
  std::int64_t columns() const { return end_ - begin_; }

  base::AlignedArray<double> data_;
  std::int64_t stride_ = 0, first_ = 0, rows_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace hakaru::apps::linpack
