// Dense linear algebra of blocks of vectors, through BLAS and LAPACK. A block has its vectors one
// after the other (column-major).
#pragma once

#include <vector>

#include "apps/electrons/cell_grid.hpp"

namespace hakaru::apps::electrons {

struct Block {
  std::size_t length = 0;
  int count = 0;
  std::vector<Complex> values;

  Block() = default;
  Block(std::size_t length_, int count_)
      : length(length_), count(count_), values(length_ * std::size_t(count_)) {}
  Complex* vector(int i) { return values.data() + length * std::size_t(i); }
  const Complex* vector(int i) const { return values.data() + length * std::size_t(i); }
};

// A^H B, column-major A.count x B.count.
std::vector<Complex> overlaps(const Block& a, const Block& b);
// out = A C (+ out), with C of A.count x out.count values, column-major with the leading dimension
// `leading`.
void combine(const Block& a, const Complex* c, int leading, Block& out, bool add);
// Eigenvalues, ascending, and eigenvectors of H x = e S x with upper triangles of size n, both
// destroyed; the vectors replace H. Directions that are linearly dependent in S are left out:
// returns how many eigenvalues there are, 0 when LAPACK gives up.
int eigen_generalised(int n, std::vector<Complex>& h, std::vector<Complex>& s,
                      std::vector<double>& values);

}  // namespace hakaru::apps::electrons
