// A flow on this rank: its blocks, what it swaps with other ranks, and steps in time.
#pragma once

#include <optional>

#include "apps/multiblock_flow/division.hpp"
#include "apps/multiblock_flow/kernel.hpp"
#include "apps/multiblock_flow/problem.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::multiblock_flow {

struct Timing {
  explicit Timing(base::Phases& phases);
  base::Phases::Scope in(int phase) const { return phases.scope(phase); }
  base::Phases& phases;
  int start, flux, boundary, halo, reduction, output;
};

// first: Euler's; the others: SSP-RK3.
constexpr int stages_of(Scheme scheme) { return scheme == Scheme::first ? 1 : 3; }

// One block of this rank.
struct Local {
  int number;  // among all blocks
  Block block;
  Index cells;
  std::array<bool, axes> has_waves;
  Metrics metrics;
  Cells first, now, next, spare;  // spare: SSP-RK3 alone
};

class Solver {
 public:
  // Throws UserError(usage) when a cell of the grid has no volume. Collective.
  Solver(const Problem& problem, const Division& division, Scheme scheme, double cfl,
         const parallel::Communicator& ranks, const Timing& timing);
  Solver(const Solver&) = delete;

  // To the flow at first, or to what `first` of the blocks was made.
  void restart();
  // A step of cfl / lambda, or to `end` when that is nearer. Returns the step. Collective.
  double step(double end);

  double time() const { return time_; }
  void set_time(double time) { start_time_ = time_ = time; }
  std::vector<Local>& blocks() { return blocks_; }
  const std::vector<Local>& blocks() const { return blocks_; }
  const parallel::Communicator& ranks() const { return ranks_; }
  const Problem& problem() const { return problem_; }

 private:
  Local make(int number, const Block& block) const;
  void stage(Cells Local::*state, Cells Local::*base, Cells Local::*out, double keep, double take,
             double dt, bool last);
  void exchange(Cells Local::*state);
  void fill_ghosts(Cells Local::*state);
  template <typename Compute>
  double over_tiles(const Compute& compute);
  void agree_on_waves(double largest);
  Local& local(int number) { return blocks_[static_cast<std::size_t>(number - blocks_[0].number)]; }

  Problem problem_;
  Scheme scheme_;
  double cfl_;
  const parallel::Communicator& ranks_;
  Timing timing_;
  Exchange exchange_;
  std::vector<Local> blocks_;
  struct Work {
    int block;
    Tile tile;
  };
  std::vector<Work> work_;
  std::vector<Workspace> workspaces_;  // of threads
  std::vector<std::vector<double>> incoming_, outgoing_;
  std::vector<MPI_Request> requests_;
  double time_ = 0.0, start_time_ = 0.0, largest_wave_ = 0.0;
};

}  // namespace hakaru::apps::multiblock_flow
