// L⁻¹ U by products: BLAS libraries solve triangles at a fraction of the speed of their product.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/linpack/kernels.hpp"
#include "native/base/aligned.hpp"

namespace hakaru::apps::linpack {

class Triangle {
 public:
  // Takes L (width x width, unit lower, by rows), which has to stay, and inverts its blocks on
  // the diagonal.
  void invert(Rowwise lower, std::int64_t width);
  // U = L⁻¹ U in place; U: width x columns, by rows.
  void solve(double* upper, std::int64_t stride, std::int64_t columns);

 private:
  static constexpr std::int64_t block = 48, strip = 1024;  // rows, columns that caches hold

  void invert_block(std::int64_t begin, std::int64_t size);
  void solve_rows(std::int64_t begin, std::int64_t end, double* upper, std::int64_t stride,
                  std::int64_t columns);
  void apply_inverse(std::int64_t begin, std::int64_t size, double* upper, std::int64_t stride,
                     std::int64_t columns);

  Rowwise lower_{};
  std::int64_t width_ = 0;
  std::vector<double> inverses_;  // of blocks on the diagonal, each by rows
  base::AlignedArray<double> copy_{static_cast<std::size_t>(block * strip)};
};

}  // namespace hakaru::apps::linpack
