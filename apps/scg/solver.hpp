// The iteration over all ranks: halo rows by PUT with flags while the inner rows are computed.
#pragma once

#include <memory>

#include "apps/scg/strip.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::apps::scg {

// Whether every put is answered by a message when its data have been used.
enum class Acknowledgement { none, messages };

// Flags of a rank: its halo row before or after the own rows has come.
inline constexpr int flag_above = 1, flag_below = 2;
// Tags of acknowledgements, by the direction they go.
inline constexpr int tag_up = 0, tag_down = 1;

class Solver {
 public:
  // Collective.
  Solver(std::int64_t n, Acknowledgement acknowledgement);

  void start(base::Phases& phases);
  // One step of conjugate gradients. start() comes first.
  void iterate(base::Phases& phases);

  // sqrt(r.r / b.b) of the residual that the iteration carries along.
  double relative_residual() const;
  // sqrt(b.b) and sqrt(r.r), unscaled.
  double right_side_norm() const;

  // Sums over rows and ranks have the same bits at every layout, in longer messages; so has what
  // follows from them.
  void sum_exactly() { exact_sums_ = true; }

  StripVectors& vectors() { return vectors_; }

  // Largest |u - exact| over rows of all ranks; at most `rows` of each, evenly spread. Collective.
  double distance_from_exact(std::int64_t rows) const;
  // sqrt of the sum of (b - A u - r)^2: how far the residual carried along is from the true one.
  // Collective.
  double residual_drift();
  // Largest |u| over all ranks. Collective.
  double largest() const;

 private:
  void put_halo();
  void wait_for_halo();
  void acknowledge();
  // Of the rows' sums, which add up to `value` on this rank.
  double sum(double value, base::Phases& phases);

  parallel::Communicator world_;
  Strip strip_;
  Acknowledgement acknowledgement_;
  DirectionLayout layout_;
  parallel::RemoteMemory direction_;
  StripVectors vectors_;
  std::int64_t rows_above_ = 0;  // of the rank above
  bool exact_sums_ = false;
  double rho_ = 0.0, rho_start_ = 0.0;
};

}  // namespace hakaru::apps::scg
