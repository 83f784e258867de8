// The benchmark's random sparse symmetric matrix (RNR-94-007, section 2.2.1): the sum over i of
// w_i x_i x_i^T with w_i = condition^(i / n), x_i sparse with random elements at random places and
// 1/2 at place i; then condition - shift on the diagonal.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/cg/problem.hpp"

namespace hakaru::apps::cg {

// x_i of all i; those of vector i are elements starts[i] ... starts[i + 1] - 1.
struct SparseVectors {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> places;
  std::vector<double> values;
};

SparseVectors generating_vectors(const Problem& problem);

}  // namespace hakaru::apps::cg
