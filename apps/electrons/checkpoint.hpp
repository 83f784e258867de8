// Simulations and ground states in files.
#pragma once

#include <string>

#include "apps/electrons/simulation.hpp"
#include "apps/electrons/state_file.hpp"

namespace hakaru::apps::electrons {

inline constexpr std::size_t numbers_of_moment = 9, numbers_of_clock = 4;

StateShape checkpoint_shape(const Settings& settings, std::size_t history);

// Collective over all ranks of the simulation. A simulation that reads what another has written
// continues with the same bits when it has the same layout.
void write_checkpoint(const std::string& path, Simulation& simulation,
                      const parallel::Communicator& world);
void read_checkpoint(const std::string& path, Simulation& simulation,
                     const parallel::Communicator& world);

// Collective; the first group of ranks writes, every group reads for itself.
void write_ground_state(const std::string& path, Simulation& simulation, GroundState& state,
                        const parallel::Communicator& world);
GroundState read_ground_state(const std::string& path, Simulation& simulation);

// From now on SIGUSR1 (what batch systems send before the time is over) asks for a checkpoint.
void listen_for_signal();
// Whether this process was asked; forgets it.
bool asked_by_signal();

}  // namespace hakaru::apps::electrons
