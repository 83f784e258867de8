// What arrives is what was sent.
#pragma once

#include <cstdint>

#include "native/base/checks.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::probes::putget {

// Transfers of every kind from each rank to the next, at lengths up to 64 KiB; adds one check a
// kind. `damage` changes one byte of what each rank sends.
void verify_transfers(const parallel::Communicator& world, bool damage, base::Checks& checks);

// Barriers and reductions of the first `ranks` ranks for each group size.
void verify_groups(const parallel::Communicator& world, bool damage, base::Checks& checks);

}  // namespace hakaru::probes::putget
