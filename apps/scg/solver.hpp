// The iteration over all ranks: halos by PUT with flags while the inner points are computed.
#pragma once

#include <memory>

#include "apps/scg/block.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::apps::scg {

// How a rank learns that what it put has been used, so that it may put again: not at all (the sums
// over all ranks lie between), by a message for each put, or by a barrier of the ranks of its row
// and one of those of its column.
enum class Acknowledgement { none, messages, barriers };

// Flags of a rank: its halo on that side has come.
inline constexpr int flag_above = 1, flag_below = 2, flag_left = 3, flag_right = 4;
// Tags of acknowledgements, by the direction they go.
inline constexpr int tag_up = 0, tag_down = 1, tag_left = 2, tag_right = 3;

class Solver {
 public:
  // Collective.
  Solver(std::int64_t n, Decomposition decomposition, Acknowledgement acknowledgement);

  void start(base::Phases& phases);
  // One step of conjugate gradients. start() comes first.
  void iterate(base::Phases& phases);

  // sqrt(r.r / b.b) of the residual that the iteration carries along.
  double relative_residual() const;
  // sqrt(b.b) and sqrt(r.r), unscaled.
  double right_side_norm() const;

  // Sums over rows and ranks have the same bits at every layout of whole rows, in longer messages;
  // so has what follows from them.
  void sum_exactly() { exact_sums_ = true; }

  BlockVectors& vectors() { return vectors_; }

  // Largest |u - exact| over rows of all ranks; at most `rows` of each, evenly spread. Collective.
  double distance_from_exact(std::int64_t rows) const;
  // sqrt of the sum of (b - A u - r)^2: how far the residual carried along is from the true one.
  // Collective.
  double residual_drift();
  // Largest |u| over all ranks. Collective.
  double largest() const;

 private:
  void put_halo();
  void put_rows();
  void put_columns();
  void wait_for_halo();
  void acknowledge();
  void exchange_acknowledgement(int to, int from, int tag);
  // Of the rows' sums, which add up to `value` on this rank.
  double sum(double value, base::Phases& phases);

  parallel::Communicator world_;
  Grid grid_;
  Block block_;
  parallel::Communicator row_, column_;  // the ranks of this one's row and column, for barriers
  Acknowledgement acknowledgement_;
  DirectionLayout layout_;
  // An r.r from which the iteration goes on. Below it nothing moves any more: u stays as it is long
  // since, and squares of r would soon be subnormal, on which many processors take ten times as
  // long.
  double smallest_moving_;
  parallel::RemoteMemory direction_;
  BlockVectors vectors_;
  bool exact_sums_ = false;
  double rho_ = 0.0, rho_start_ = 0.0;
};

}  // namespace hakaru::apps::scg
