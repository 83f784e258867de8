// Carries out `run` and `verify`.
#pragma once

#include <string>

#include "native/base/require.hpp"
#include "native/harness/command_line.hpp"
#include "native/harness/program.hpp"
#include "native/harness/ranks.hpp"

namespace hakaru::harness {

// What the harness says of a repetition to a tracer, and in a schedule: regions around discarded
// and timed repetitions, and the phase between a rank's end and the last rank's.
inline constexpr const char* warmup_region = "warm-up";
inline constexpr const char* repetition_region = "repetition";
inline constexpr const char* idle_phase = "wait for others";

// What a run does that is told no numbers. `kind` of the program.
struct UsualRun {
  int repetitions, warmup;
};
UsualRun usual_run(const std::string& kind);

// Throw UserError(usage) when the leaf allows fewer ranks or threads, or refuses these parameters.
void require_limits(const base::Description& description, const base::Layout& layout);
void require_accepted(const Program& program, const base::Description& description,
                      const base::Parameters& parameters, const base::Layout& layout);

// Runs or verifies, prints a summary for people, writes the record if one is wanted. An error on
// any rank ends all of them, and the failing rank writes the record of the failure.
base::ExitCode execute(Program& program, const base::Description& description,
                       const CommandLine& line, Ranks& ranks);

}  // namespace hakaru::harness
