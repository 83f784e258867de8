// Carries out `run` and `verify`.
#pragma once

#include "native/base/require.hpp"
#include "native/harness/command_line.hpp"
#include "native/harness/program.hpp"
#include "native/harness/ranks.hpp"

namespace hakaru::harness {

// Runs or verifies, prints a summary for people, writes the record if one is wanted. An error on any rank ends all of them, and the
// failing rank writes the record of the failure.
base::ExitCode execute(Program& program, const base::Description& description,
                       const CommandLine& line, Ranks& ranks);

}  // namespace hakaru::harness
