// What parameters cost on a layout.
#pragma once

#include <vector>

#include "native/harness/program.hpp"

namespace hakaru::harness {

// The leaf's size and memory, and every described phase as its schedule counts it; of a leaf
// without a schedule what it says of its phases.
base::Work work_of(const Program& program, const base::Description& description,
                   const base::Parameters& parameters, const base::Layout& layout);

// As schedules name them.
std::vector<schedule::Phase> phases_of(const base::Description& description);

}  // namespace hakaru::harness
