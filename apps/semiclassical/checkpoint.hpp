// The sums of an ensemble in a file, to go on from.
#pragma once

#include <string>

#include "apps/semiclassical/ensemble.hpp"

namespace hakaru::apps::semiclassical {

inline constexpr std::size_t checkpoint_header_bytes = 1024;

// Both collective. Writing: the file is whole or as it was before; throws UserError(environment).
void write_checkpoint(const std::string& path, const Settings& settings, const Sums& sums,
                      const parallel::Communicator& world);
// Throws UserError: environment when it cannot be read, usage when it is damaged, belongs to other
// parameters or has more trajectories than are asked for.
Sums read_checkpoint(const std::string& path, const Settings& settings);

}  // namespace hakaru::apps::semiclassical
