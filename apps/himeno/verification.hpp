// Checks of results against what is known independently.
#pragma once

#include <string>

#include "apps/himeno/solver.hpp"
#include "native/base/checks.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::himeno {

// Result of the last of `iterations` on the standard problem: against the exact solution, and
// against the table where it has this case. Collective.
void check_standard(const Solver& solver, const Grid& grid, const std::string& size_name,
                    Precision precision, std::int64_t iterations, double gosa,
                    const std::string& label, base::Checks& checks);

// Every precision, decomposition, exchange and way to store on small grids. Collective.
void verify_everything(harness::Run& run, base::Checks& checks);

}  // namespace hakaru::apps::himeno
