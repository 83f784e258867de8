// Zones from files: a TOML file says what meets what, a PLOT3D file has the nodes.
#pragma once

#include <string>

#include "apps/multiblock_flow/problem.hpp"

namespace hakaru::apps::multiblock_flow {

// Throws UserError(usage) that names the file and what is wrong: a face without or with two
// neighbours, faces that do not meet, numbers that are missing or not finite.
Problem from_files(const std::string& toml);

}  // namespace hakaru::apps::multiblock_flow
