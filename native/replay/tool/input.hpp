// Where a schedule comes from.
#pragma once

#include <string>

#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

// Throws UserError when nothing can be read from `path`.
schedule::Schedule read_input(const std::string& path);

}  // namespace hakaru::replay
