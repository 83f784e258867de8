// The SR16000 program: rank 0 sends the same vector to all others, with unequal work before and
// after, in several ways of sending.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/remote_memory.hpp"

namespace hakaru::probes::overlap {

enum class Way {
  none,         // no messages: every rank knows the vector. The least time that work takes
  blocking,     // MPI_Send
  nonblocking,  // MPI_Isend, and a wait for each after the work
  persistent,   // MPI_Send_init before the loop, MPI_Start, and a wait for each after the work
  put,          // RemoteMemory::put with a receive flag, acknowledged after the work
};

std::string name_of(Way way);
const std::vector<Way>& all_ways();

struct Outcome {
  double seconds = 0.0;    // of the loop between two barriers; on every rank, its own
  std::int64_t wrong = 0;  // elements of this rank that were not right, over all iterations
};

// The loop of `iterations` with vectors of n doubles. `loaded`: with the work; without it, the
// messages alone. Receiving is MPI_Recv (put: waiting for the flag). `damage` spoils what rank 1
// has received. `phases`: time is told as "before", "messages" and "after". `memory`: for way put,
// what memory_for() made; null: it is made and given back here, outside of the timed loop.
// Collective.
Outcome run_program(const parallel::Communicator& group, Way way, std::int64_t n, int iterations,
                    bool loaded, bool damage = false, base::Phases* phases = nullptr,
                    parallel::RemoteMemory* memory = nullptr);

// Memory of way put: a place of n doubles for each iteration, since rank 0 does not ask whether the
// one before has been used. Collective.
std::unique_ptr<parallel::RemoteMemory> memory_for(const parallel::Communicator& group,
                                                   std::int64_t n, int iterations);

}  // namespace hakaru::probes::overlap
