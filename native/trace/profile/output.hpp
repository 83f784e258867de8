// The profile of all processes as JSON: what hakaru.facts.traces.profile reads.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "native/trace/profile/samples.hpp"

namespace hakaru::trace::profile {

// `refused`: files that are none, with why.
std::string as_json(const std::vector<Process>& processes, const std::vector<std::string>& refused);

}  // namespace hakaru::trace::profile
