// Operations and bytes of the loops, as they are written.
#pragma once

#include "native/schedule/writer.hpp"

namespace hakaru::apps::linpack::work {

using schedule::Work;

inline Work sum(const Work& a, const Work& b) {
  return {a.flops + b.flops, a.bytes + b.bytes, a.bytes_write_allocate + b.bytes_write_allocate};
}
inline Work times(double factor, const Work& a) {
  return {factor * a.flops, factor * a.bytes, factor * a.bytes_write_allocate};
}

// A random number is an integer hash; its conversion and shift are three operations.
inline Work generate(double elements) { return {3 * elements, 8 * elements, 16 * elements}; }
inline Work copy(double elements) { return {0, 16 * elements, 24 * elements}; }
inline Work exchange(double elements) { return {0, 32 * elements, 32 * elements}; }
// A column of a leaf: `count` columns before it subtracted, its maximum, its scaling; into the leaf
// and back.
inline Work column(double rows, double count) {
  const double bytes = 8 * rows * (count + 2) + 8 * rows + 16 * rows + 32 * rows;
  return {2 * rows * count + rows, bytes, bytes + 16 * rows};
}
// L (k x k) from n right-hand sides.
inline Work triangle(double k, double n) {
  const double bytes = 16 * k * n + 4 * k * k;
  return {k * k * n, bytes, bytes};
}
// C (m x n) -= L (m x k) U (k x n), each matrix from memory once.
inline Work product(double m, double n, double k) {
  const double bytes = 16 * m * n + 8 * k * (m + n);
  return {2 * m * n * k, bytes, bytes};
}
// Rows of a block of U from what stands above it: sums over k elements.
inline Work rows_times_vector(double rows, double k) {
  const double bytes = 8 * rows * k + 16 * rows;
  return {2 * rows * k, bytes, bytes};
}

}  // namespace hakaru::apps::linpack::work
