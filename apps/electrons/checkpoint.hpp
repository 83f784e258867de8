// Simulations in files.
#pragma once

#include <string>

#include "apps/electrons/simulation.hpp"
#include "apps/electrons/state_file.hpp"

namespace hakaru::apps::electrons {

inline constexpr std::size_t numbers_of_moment = 9, numbers_of_clock = 4;

// What a file of these settings says of itself; `what` it is.
nlohmann::json identity_of(const Settings& settings, const char* what);
StateShape checkpoint_shape(const Settings& settings, std::size_t history);

// Collective over all ranks of the simulation. A simulation that reads what another has written
// continues with the same bits when it has the same layout.
void write_checkpoint(const std::string& path, Simulation& simulation,
                      const parallel::Communicator& world);
void read_checkpoint(const std::string& path, Simulation& simulation,
                     const parallel::Communicator& world);

// From now on SIGUSR1 (what batch systems send before the time is over) asks for a checkpoint.
void listen_for_signal();
// Whether this process was asked; forgets it.
bool asked_by_signal();

}  // namespace hakaru::apps::electrons
