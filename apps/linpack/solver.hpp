// LU with partial pivoting of [A b] over a grid of ranks, and the solution of A x = b.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/linpack/matrix.hpp"
#include "apps/linpack/mover.hpp"
#include "apps/linpack/panel.hpp"
#include "apps/linpack/passing.hpp"
#include "apps/linpack/problem.hpp"
#include "apps/linpack/triangle.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::linpack {

class Solver {
 public:
  // Collective over the ranks of the grid. The BLAS takes so many threads from now on, where the
  // problem is worth them.
  Solver(const Problem& problem, const parallel::Communicator& world, base::Phases& phases,
         int threads);

  void generate();
  void damage();  // one element of A, after generate()
  // Eliminates problem.steps() panels; solves when those are all.
  void run();

  // Of the whole problem: x, the same on every rank. Collective.
  std::vector<double> solution() const;
  // Rows of the pivots, in order, the same on every rank. Collective.
  std::vector<std::int64_t> pivots() const;
  // max |U 1 - b'| of what the eliminated panels left of A and b = A 1. Collective.
  double distance_from_ones() const;

  const Problem& problem() const { return problem_; }
  const parallel::Communicator& world() const { return world_; }
  const parallel::Communicator& row() const { return row_; }
  const parallel::Communicator& process_column() const { return column_; }

  // What eliminate() asks of a rank.
  int column() const { return my_column_; }
  void panel(std::int64_t j);
  void start(std::int64_t j);
  void finish(std::int64_t j);
  void release(std::int64_t j);
  void update(std::int64_t j, Columns columns, std::int64_t next);

 private:
  struct Block {  // of U on this rank
    double* upper;
    std::int64_t stride;
  };
  Block swap_rows(std::int64_t j, Columns columns);
  void solve_upper(std::int64_t j, Columns columns, Block block);
  void subtract(std::int64_t j, Columns columns, Columns part, Block block);
  void forward(std::int64_t next);
  void substitute();
  void solve_diagonal(std::int64_t j, std::vector<double>& values);
  Panel& shaped(std::int64_t j);
  bool on_diagonal_row(std::int64_t j) const { return problem_.row_of(j) == my_row_; }

  Problem problem_;
  const parallel::Communicator& world_;
  base::Phases& phases_;
  int my_row_, my_column_;
  parallel::Communicator row_, column_;
  LocalMatrix matrix_;
  PanelFactorisation factorisation_;
  Mover mover_;
  std::array<Panel, 2> panels_;
  std::array<Passing, 2> passings_;
  Triangle triangle_;
  std::int64_t inverted_ = -1;        // panel
  std::vector<double> x_;             // own blocks, zero elsewhere
  std::vector<std::int64_t> pivots_;  // of panels that this process column factorised
};

}  // namespace hakaru::apps::linpack
