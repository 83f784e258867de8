// What each rank does in a repetition, operation by operation.
#pragma once

#include "apps/lattice_qcd/solver.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::lattice_qcd {

enum class Task { apply, solve, propagate, generate };

// A repetition, as far as its operations depend on it.
struct Repetition {
  Task task;
  Lattice lattice;
  SolverChoice solver;
  std::int64_t iterations;
  std::int64_t sweeps;
  int over_relaxations;
};

harness::RankSchedule rank_schedule(const Repetition& repetition);

}  // namespace hakaru::apps::lattice_qcd
