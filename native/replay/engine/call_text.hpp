// What calls are said to be, to people.
#pragma once

#include <string>

#include "native/replay/engine/actor.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

std::string call_text(const schedule::Schedule& schedule, const schedule::Operation& operation,
                      std::int32_t rank);

// Errors of the schedule that only a replay finds; UserError(usage).
[[noreturn]] void misused(const schedule::Schedule& schedule, const Actor& actor, const char* doing,
                          const char* why);
[[noreturn]] void truncated(const schedule::Schedule& schedule, const Actor& actor,
                            const schedule::Operation& posted, std::int32_t from,
                            std::uint64_t bytes);

}  // namespace hakaru::replay
