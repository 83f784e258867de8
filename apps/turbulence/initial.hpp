// Initial velocity fields, each the same at every number of ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "apps/turbulence/grid.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::turbulence {

// u = (sin x cos y cos z, -cos x sin y cos z, 0): E = 1/8, enstrophy 3/8.
void set_taylor_green(const Grid& grid, State& velocity);

// u = (A sin z + C cos y, B sin x + A cos z, C sin y + B cos x) with A = 1, B = 0.7, C = 0.43: curl
// u = u, so that u decays as exp(-nu t).
void set_abc(const Grid& grid, State& velocity);

// Random phases with E(k) ~ k^4 exp(-2 (k/peak)^2), kinetic energy 1/2, solenoidal; a mode depends
// on the seed and its wavenumbers only. Collective.
void set_random(const Grid& grid, State& velocity, std::uint64_t seed, double peak,
                const parallel::Communicator& communicator);

// One of taylor_green, abc, random. Collective.
void set_flow(const std::string& flow, const Grid& grid, State& velocity, std::uint64_t seed,
              double peak, const parallel::Communicator& communicator);

}  // namespace hakaru::apps::turbulence
