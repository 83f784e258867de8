// The two programs that are timed under each binding: one bound by memory bandwidth, one by
// messages from all to all. Memory is taken and first touched after the rank was bound.
#pragma once

#include <cstddef>
#include <cstdint>

#include "native/parallel/communicator.hpp"

namespace hakaru::probes::binding {

struct Outcome {
  double seconds;      // on the slowest rank
  std::int64_t wrong;  // results that are not what they must be, of all ranks
};

// a = b + s c over arrays of `bytes` each, `passes` times, by all ranks at once; seconds of one
// pass. Collective.
Outcome run_triad(const parallel::Communicator& world, std::size_t bytes, std::int64_t passes);

// MPI_Alltoall of `bytes` for each pair, `calls` times; seconds of one. Collective.
Outcome run_alltoall(const parallel::Communicator& world, std::size_t bytes, std::int64_t calls);

}  // namespace hakaru::probes::binding
