// The product over all ranks: blocks of B come by GET, the next one while this one is used.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/matmul/rows.hpp"
#include "native/base/aligned.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::apps::matmul {

// Blocks of B that are under way or in use at once; flag 1 + i is raised when buffer i is filled.
inline constexpr int buffers = 2;

// The rank whose block is the step-th to be used: one's own first, so that no rank is asked by two
// at once.
inline int source_of(int rank, int step, int ranks) { return (rank + step) % ranks; }

class Product {
 public:
  // Collective: fills A and B.
  explicit Product(std::int64_t n);

  // C = A B. Nothing but GETs is exchanged.
  void compute(base::Phases& phases);

  const Rows& rows() const { return rows_; }
  double at(std::int64_t row, std::int64_t column) const { return c_[row * rows_.n + column]; }
  void damage();

  // How many of the own rows differ from the exact product: C v = A (B v) in integers modulo 2^64,
  // for two random vectors v of signs; a wrong row goes unseen with a probability of at most 1/4.
  // Summed over ranks; collective.
  std::int64_t wrong_rows() const;
  // How many of the own elements differ from sums computed in integers. Summed over ranks;
  // collective. n^3 / ranks operations.
  std::int64_t wrong_elements() const;

 private:
  void fetch(int step);
  void use(int step);

  parallel::Communicator world_;
  Rows rows_;
  parallel::RemoteMemory b_;  // this rank's block
  base::AlignedArray<double> a_, c_, left_over_, fetched_[buffers];
};

}  // namespace hakaru::apps::matmul
