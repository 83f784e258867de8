// Verification: of a finished run, and of the program on molecules of its own.
#pragma once

#include "apps/hartree_fock/calculation.hpp"
#include "native/base/checks.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::hartree_fock {

// What must hold of any result, and the energy where another program's is known.
void check_result(const Settings& settings, const Result& result, base::Checks& checks);

// Every check of the README. Collective. A damaged run spoils each result before it is checked, so
// that each check fails.
void verify_all(harness::Run& run, const parallel::Communicator& world, base::Checks& checks);

// -V / T of a result.
double virial_ratio(const Settings& settings, const Result& result);

// Atoms' charges by Mulliken's population analysis (J. Chem. Phys. 23, 1833, 1955).
std::vector<double> mulliken_charges(const Settings& settings, const Result& result);

}  // namespace hakaru::apps::hartree_fock
