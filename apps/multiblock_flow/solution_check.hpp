// What a solution file says of itself, and whether what it holds is a gas.
#pragma once

#include <string>

#include "apps/multiblock_flow/solution_file.hpp"

namespace hakaru::apps::multiblock_flow {

struct SolutionHeader {
  Moment moment;
  std::string digest;
};

// Changes with any bit of any number and with its place; the same at every division. Collective.
std::string digest_of(const Solver& solver, Cells Local::*state);
// As long as solution_header_bytes. Collective.
std::string solution_header(const Solver& solver, const Moment& moment);

// Throws UserError(usage) when the file is of other zones or not whole.
SolutionHeader read_solution_header(const std::string& path, const Topology& topology);
// Finite numbers, positive densities and pressures in `first`, which match the digest; throws
// UserError(usage) on all ranks. Collective.
void require_gas(const std::string& path, const Solver& solver, const SolutionHeader& header);

}  // namespace hakaru::apps::multiblock_flow
