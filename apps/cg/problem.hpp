// Classes of the NAS benchmark CG, and how vectors are divided.
#pragma once

#include <cstdint>
#include <string>

#include "native/base/share.hpp"

namespace hakaru::apps::cg {

inline constexpr int inner_iterations = 25;  // of conjugate gradients, for each estimate of zeta
inline constexpr double condition = 0.1;     // reciprocal condition number asked of the matrix

struct Problem {
  std::int64_t n;           // order of the matrix
  int nonzer;               // elements of each generating vector, the diagonal's not counted
  std::int64_t iterations;  // estimates of zeta
  double shift;
  double zeta;            // published
  std::int64_t nonzeros;  // published; 0: not at hand

  // The benchmark's estimate of the elements in a row, which its operation count uses.
  double row_elements() const { return static_cast<double>(nonzer) * (nonzer + 1); }
  // 2 n (3 + nz + 25 (5 + nz) + 3) operations for each estimate, nz = row_elements().
  double operations(double estimates) const;
};

// S, W, A, B, C or D.
Problem problem_of_class(const std::string& name);

// Elements first ... first + count - 1 of vectors belong to a rank.
using Block = base::Share;
Block block_of(std::int64_t n, int rank, int ranks);
// The largest count.
std::int64_t widest_block(std::int64_t n, int ranks);

}  // namespace hakaru::apps::cg
