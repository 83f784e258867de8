// A vector of n1 n2 complex numbers over ranks, in equal blocks, and the steps of its transform.
//
// With n = n1' n2 + n2' (n1' < n1, n2' < n2) and k = k2' n1 + k1', w_m = exp(-2 pi i / m):
//   X(k) = sum over n2' of  w_n2^(n2' k2')  w_N^(n2' k1')  sum over n1' of  w_n1^(n1' k1') x(n)
// so that transforms of length n1, twiddle factors and transforms of length n2 stand between three
// transpositions (Bailey, FFTs in external or hierarchical memory, 1990: six steps).
#pragma once

#include <cmath>
#include <cstdint>

namespace hakaru::apps::mpi_fft {

enum class Direction { forward, inverse };

struct Shape {
  std::int64_t n1, n2;
  int ranks;

  std::int64_t length() const { return n1 * n2; }
  std::int64_t own() const { return length() / ranks; }
  // Numbers that a rank sends to each rank in a transposition.
  std::int64_t block() const { return own() / ranks; }
  double log2_length() const { return std::log2(static_cast<double>(length())); }
  // As the benchmark counts: 5 N log2 N.
  double flops() const { return 5.0 * static_cast<double>(length()) * log2_length(); }
};

namespace phase {
inline constexpr const char *rearrange = "rearrange", *transposition = "transposition",
                            *transform = "transform", *twiddle = "twiddle";
}

// One transform, done or written by a runner. `rows` of `columns` each are the rank's part before a
// transposition.
template <typename Runner>
void transform_steps(const Shape& shape, Runner& runner) {
  const auto turn = [&](std::int64_t rows, std::int64_t columns) {
    runner.pack(rows / shape.ranks, columns);
    runner.exchange();
    runner.unpack(rows / shape.ranks, columns);
  };
  turn(shape.n1, shape.n2);
  runner.transform(shape.n2 / shape.ranks, shape.n1);
  runner.twiddle();
  turn(shape.n2, shape.n1);
  runner.transform(shape.n1 / shape.ranks, shape.n2);
  turn(shape.n1, shape.n2);
}

}  // namespace hakaru::apps::mpi_fft
