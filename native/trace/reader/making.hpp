// What it takes to make or free a communicator or window, beside waiting for the others: who comes
// last does not wait, so it is the shortest that any rank was in the call. Who stays longer than
// that after the last has come works on by itself: the memory of a window is one rank's to free.
#pragma once

#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {

// Adds the first to the computing before each such call, the second to the computing after it.
// Calls on one communicator follow each other in the same order on all its ranks.
void add_making(Trace& trace);

}  // namespace hakaru::trace
