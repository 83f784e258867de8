// Files that a run can go on from, with the same bits at any number of ranks and threads.
//
// The first 4096 bytes are a JSON object padded with blanks: format, n, step, time, nu, digest.
// Then the retained modes as pairs of little-endian doubles, plane by plane in the order of
// canonical.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "apps/turbulence/grid.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::turbulence {

struct Moment {
  std::int64_t step = 0;
  double time = 0.0;
};

// Writes `path` whole or not at all: to a temporary name beside it, synchronised, then renamed. All
// ranks must see the same folder. Throws UserError(environment) on every rank when it cannot.
// Collective.
void write_checkpoint(const std::string& path, const Grid& grid, const State& velocity,
                      Moment moment, double nu, const parallel::Communicator& communicator);

// Throws UserError on every rank: environment when the file cannot be read, usage when it is
// truncated, altered, not a checkpoint, or of another grid. Collective.
Moment read_checkpoint(const std::string& path, const Grid& grid, State& velocity,
                       const parallel::Communicator& communicator);

// Size of the file in bytes.
inline constexpr std::size_t checkpoint_header_bytes = 4096;
double checkpoint_bytes(int n);

}  // namespace hakaru::apps::turbulence
