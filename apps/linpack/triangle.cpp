#include "apps/linpack/triangle.hpp"

#include <cblas.h>

#include <algorithm>

namespace hakaru::apps::linpack {
namespace {

// C (m x n) = beta C + alpha L (m x k) U (k x n).
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, double alpha, Rowwise l, Rowwise u,
              double beta, Rowwise c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), alpha, l.data, static_cast<int>(l.stride), u.data,
              static_cast<int>(u.stride), beta, c.data, static_cast<int>(c.stride));
}

}  // namespace

void Triangle::invert(Rowwise lower, std::int64_t width) {
  lower_ = lower, width_ = width;
  const std::int64_t blocks = (width + block - 1) / block;
  inverses_.assign(static_cast<std::size_t>(blocks * block * block), 0.0);
  for (std::int64_t begin = 0; begin < width; begin += block)
    invert_block(begin, std::min(block, width - begin));
}

// Row i of L^-1 is that of 1 less L_ip times row p, p < i.
void Triangle::invert_block(std::int64_t begin, std::int64_t size) {
  double* inverse = inverses_.data() + begin * block;
  for (std::int64_t i = 0; i < size; ++i) {
    double* row = inverse + i * block;
    row[i] = 1.0;
    for (std::int64_t p = 0; p < i; ++p) {
      const double factor = *lower_.at(begin + i, begin + p).data, *above = inverse + p * block;
#pragma omp simd
      for (std::int64_t j = 0; j <= p; ++j) row[j] -= factor * above[j];
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
  multiply(end - middle, columns, middle - begin, -1.0, lower_.at(middle, begin),
           {upper + begin * stride, stride}, 1.0, {upper + middle * stride, stride});
  solve_rows(middle, end, upper, stride, columns);
}

void Triangle::apply_inverse(std::int64_t begin, std::int64_t size, double* upper,
                             std::int64_t stride, std::int64_t columns) {
  for (std::int64_t i = 0; i < size; ++i)
    std::copy_n(upper + (begin + i) * stride, columns, copy_.data() + i * columns);
  multiply(size, columns, size, 1.0, {inverses_.data() + begin * block, block},
           {copy_.data(), columns}, 0.0, {upper + begin * stride, stride});
}

}  // namespace hakaru::apps::linpack
