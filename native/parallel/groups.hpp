// Groups of the first ranks, which probes measure one after the other while the others wait.
#pragma once

#include <string>
#include <vector>

#include "native/parallel/communicator.hpp"

namespace hakaru::parallel {

// 2, 4, 8 ... ranks and all of them; none for one rank.
std::vector<int> group_sizes(int ranks);

// A barrier whose waiting ranks sleep, so that they take neither a processor nor memory bandwidth
// from those being measured.
void quiet_barrier(const Communicator& communicator);

// The host of every rank, in rank order, as MPI names it; on rank 0, empty elsewhere. Collective.
std::vector<std::string> host_names(const Communicator& communicator);

}  // namespace hakaru::parallel
