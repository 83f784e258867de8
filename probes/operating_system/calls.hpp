// What other files need of the calls.
#pragma once

#include <vector>

#include "probes/operating_system/items.hpp"

namespace hakaru::probes::operating_system {

// Seconds of catching a signal, less those of sending one; a value a sample.
std::vector<double> seconds_to_catch(const Conditions& conditions, Truth& truth);

// The summary shows it beside the faults.
void add_select_of_files(Items& items);

}  // namespace hakaru::probes::operating_system
