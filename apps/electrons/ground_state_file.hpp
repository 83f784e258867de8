// Ground states in files, and searches for them that are not over.
#pragma once

#include <string>

#include "apps/electrons/simulation.hpp"

namespace hakaru::apps::electrons {

// Collective over all ranks; the first group of ranks writes.
void write_ground_state(const std::string& path, Simulation& simulation, GroundState& state,
                        const parallel::Communicator& world);
// Of a state whose search is not over. Collective over the first group of ranks; others do nothing.
void write_search(const std::string& path, Simulation& simulation, const GroundState& state,
                  const parallel::Communicator& world);

enum class Kept { nothing, search, ground_state };
// What is in the file, which need not exist. Throws UserError when it is neither.
Kept kept_in(const std::string& path);
// Of either kind; every group reads for itself. A search continues with the same bits at any layout
// of ranks and threads. Collective over each group.
GroundState read_ground_state(const std::string& path, Simulation& simulation);

}  // namespace hakaru::apps::electrons
