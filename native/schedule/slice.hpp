// A part of a schedule: what ranks do inside one phase.
#pragma once

#include <string>

#include "native/schedule/schedule.hpp"

namespace hakaru::schedule {

// The schedule with everything outside of the named phase left out (its begin and end stay).
// Occurrences follow each other. Throws base::UserError (usage) when there is no such phase, when a
// rank never enters it or enters it another number of times than rank 0, or when the part is no
// schedule of its own (a request that was started outside).
Schedule only_phase(const Schedule& schedule, const std::string& name);

// How many times rank 0 enters the named phase.
std::uint64_t occurrences(const Schedule& schedule, const std::string& name);

}  // namespace hakaru::schedule
