// Carries out `schedule`: what each rank of a run would do. Never starts MPI.
#pragma once

#include "native/harness/command_line.hpp"
#include "native/harness/program.hpp"

namespace hakaru::harness {

// The timed part of a run with this line's parameters, ranks and repetitions: a barrier, the region
// "repetition" with what the leaf does, a barrier in the phase "wait for others", and the gathering
// of the times. Throws UserError(usage) when the leaf has no schedule or refuses the layout.
schedule::Schedule make_schedule(const Program& program, const base::Description& description,
                                 const CommandLine& line);

// The same, written to the line's output file or to standard output.
void write_schedule(const Program& program, const base::Description& description,
                    const CommandLine& line);

}  // namespace hakaru::harness
