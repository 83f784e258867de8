// Schedules of known form, for benches and tests.
#pragma once

#include <string>

#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

// NAME:key=value,...  with
//   pingpong:bytes=8,times=1            ranks 0 and 1
//   allreduce:ranks=8,bytes=8,times=1   also broadcast, reduce, gather, scatter, allgather,
//   alltoall, reduce_scatter, scan barriers:ranks=8,times=1
//   halo2d:ranks=16,steps=1,bytes=8,compute_s=0     periodic grid, as square as the ranks allow
//   gather_reverse:ranks=8,bytes=8      everyone sends to rank 0, which has posted its receives
//   from the last rank to the first
// Throws UserError(usage) for anything else.
schedule::Schedule generate(const std::string& text);

}  // namespace hakaru::replay
