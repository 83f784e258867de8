// The local product, by the BLAS.
#pragma once

#include <cstdint>

namespace hakaru::apps::matmul {

// One matrix by rows, or a part of its columns.
struct Panel {
  const double* elements;
  std::int64_t leading;  // words from row to row
};

// C += A B with C m x n, A m x k, B k x n. Threads share the columns of C, or its rows when there
// are more of these.
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Panel& a, const Panel& b,
              double* c, std::int64_t leading_c);

}  // namespace hakaru::apps::matmul
