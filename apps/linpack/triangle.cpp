#include "apps/linpack/triangle.hpp"

#include <cblas.h>

#include <algorithm>

namespace hakaru::apps::linpack {
namespace {

// C (m x n) = beta C + alpha L (m x k, by columns) U (k x n), C and U by rows.
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, const double* l,
              std::int64_t l_stride, const double* u, std::int64_t u_stride, double beta, double* c,
              std::int64_t c_stride) {
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), alpha, l, static_cast<int>(l_stride), u,
              static_cast<int>(u_stride), beta, c, static_cast<int>(c_stride));
}

}  // namespace

void Triangle::invert(Columnwise lower, std::int64_t width) {
  lower_ = lower, width_ = width;
  const std::int64_t blocks = (width + block - 1) / block;
  inverses_.assign(static_cast<std::size_t>(blocks * block * block), 0.0);
  for (std::int64_t begin = 0; begin < width; begin += block)
    invert_block(begin, std::min(block, width - begin));
}

void Triangle::invert_block(std::int64_t begin, std::int64_t size) {
  const double* l = lower_.data + begin * lower_.stride + begin;
  double* inverse = inverses_.data() + begin * block;
  for (std::int64_t j = 0; j < size; ++j) {
    double* column = inverse + j * block;
    column[j] = 1.0;
    for (std::int64_t p = j; p < size; ++p) {
      const double factor = column[p];
      const double* below = l + p * lower_.stride;
#pragma omp simd
      for (std::int64_t i = p + 1; i < size; ++i) column[i] -= below[i] * factor;
    }
  }
}

void Triangle::solve(double* upper, std::int64_t stride, std::int64_t columns) {
  for (std::int64_t first = 0; first < columns; first += strip)
    solve_rows(0, width_, upper + first, stride, std::min(strip, columns - first));
}

void Triangle::solve_rows(std::int64_t begin, std::int64_t end, double* upper, std::int64_t stride,
                          std::int64_t columns) {
  if (end - begin <= block) return apply_inverse(begin, end - begin, upper, stride, columns);
  const std::int64_t blocks = (end - begin + block - 1) / block;
  const std::int64_t middle = begin + (blocks + 1) / 2 * block;
  solve_rows(begin, middle, upper, stride, columns);
  multiply(end - middle, columns, middle - begin, -1.0,
           lower_.data + begin * lower_.stride + middle, lower_.stride, upper + begin * stride,
           stride, 1.0, upper + middle * stride, stride);
  solve_rows(middle, end, upper, stride, columns);
}

void Triangle::apply_inverse(std::int64_t begin, std::int64_t size, double* upper,
                             std::int64_t stride, std::int64_t columns) {
  for (std::int64_t i = 0; i < size; ++i)
    std::copy_n(upper + (begin + i) * stride, columns, copy_.data() + i * columns);
  multiply(size, columns, size, 1.0, inverses_.data() + begin * block, block, copy_.data(), columns,
           0.0, upper + begin * stride, stride);
}

}  // namespace hakaru::apps::linpack
