// Solutions on disk, in several ways; one file has the same bytes at any division.
#pragma once

#include <string>

#include "apps/multiblock_flow/runs.hpp"
#include "apps/multiblock_flow/solver.hpp"

namespace hakaru::apps::multiblock_flow {

// collective: MPI_File_write_at_all with a view of the rank's cells; independent: MPI_File_write_at
// for each run; master: rank 0 gathers and writes; split: a file of Fortran records for each rank,
// FILE.0000, FILE.0001, ...
enum class Way { collective, independent, master, split };

struct Moment {
  std::int64_t steps = 0;
  double time = 0.0;
};

// Whole or not at all. Throws UserError(environment) on all ranks when it cannot be written.
void write_solution(const std::string& path, Way way, const Solver& solver,
                    const Division& division, const Moment& moment);
// Into `first` of the solver's blocks. Throws UserError(usage) when the file is truncated, altered,
// of other zones, or its gas is none; all collective.
Moment read_solution(const std::string& path, Solver& solver, const Division& division);

std::string split_name(const std::string& path, int rank);

}  // namespace hakaru::apps::multiblock_flow
