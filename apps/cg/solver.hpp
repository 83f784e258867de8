// Estimates of the smallest eigenvalue by inverse iteration, each with 25 steps of conjugate
// gradients, over all ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "apps/cg/matrix.hpp"
#include "apps/cg/problem.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/exact_sum.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::apps::cg {

// paper: columns in blocks; every rank makes a whole vector, these are summed along a tree of
// messages and broadcast, and each rank puts its block where it belongs; a barrier ends every loop.
// allgather: rows in blocks, p is gathered by all.
enum class Communication { paper, allgather };

// The tree of the vector sum: a rank receives from rank + 1, + 2, + 4, ... as long as its own bits
// below are zero, and sends to the rank without its lowest bit.
inline int lowest_bit(int rank) { return rank & -rank; }

inline constexpr int flag_moved = 1;
inline constexpr int tag_sum = 0;

class Solver {
 public:
  // Collective.
  Solver(const Problem& problem, Communication communication);

  // x = 1
  void start(base::Phases& phases);
  // One estimate: A z = x, zeta = shift + 1 / (x.z), x = z / |z|.
  void estimate(base::Phases& phases);

  double zeta() const { return zeta_; }
  // |x - A z| of the last estimate
  double residual() const { return residual_; }
  // Of all ranks; collective.
  std::int64_t nonzeros() const;
  // Sums of scalars have the same bits at every layout, in longer messages. The vector sums of the
  // method `paper` still depend on the number of ranks.
  void sum_exactly() { exact_sums_ = true; }
  void damage() { matrix_->damage(); }

 private:
  void solve();
  void inner_iteration();
  void product(const std::vector<double>& vector);
  void product_by_columns(const std::vector<double>& vector);
  void product_by_rows(const std::vector<double>& vector);
  void sum_vectors();
  void end_loop();
  double dot(const std::vector<double>& a, const std::vector<double>& b);
  // The sum of term(i) over the elements of all ranks.
  template <typename Term>
  double sum(const Term& term);
  // x.z and z.z
  void products_with_z(double& with_x, double& with_z);
  template <typename Body>
  void loop(Body&& body);

  parallel::Communicator world_;
  Problem problem_;
  Communication communication_;
  Block block_;
  std::optional<Matrix> matrix_;
  std::optional<parallel::RemoteMemory> moved_;  // q of the method `paper`
  std::vector<double> x_, z_, r_, p_, q_;        // this rank's blocks
  std::vector<double> whole_, received_;         // vectors of length n
  base::Phases* phases_ = nullptr;
  bool exact_sums_ = false;
  double zeta_ = 0.0, residual_ = 0.0, rho_ = 0.0;
};

}  // namespace hakaru::apps::cg
