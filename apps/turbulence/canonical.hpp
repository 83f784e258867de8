// The retained modes of a plane in an order that no distribution changes: what is written, compared
// and hashed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/turbulence/grid.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::turbulence {

// Retained modes of the plane kz.
std::int64_t plane_modes(int n, int kz);

// [mode in the order of Grid::for_each_mode][component]: 3 plane_modes values.
std::vector<Complex> pack_plane(const Grid& grid, const State& state, int plane);
void unpack_plane(const Grid& grid, const std::vector<Complex>& values, int plane, State& state);

// 64-bit FNV-1a of bytes.
std::uint64_t hash_bytes(const void* data, std::size_t bytes,
                         std::uint64_t start = 0xcbf29ce484222325);

// 16 hexadecimal digits that change with any bit of any retained mode, and with nothing else.
// Collective.
std::string digest(const Grid& grid, const State& state,
                   const parallel::Communicator& communicator);

// All planes in order of kz on every rank, for small grids. Collective.
std::vector<Complex> collect(const Grid& grid, const State& state,
                             const parallel::Communicator& communicator);

}  // namespace hakaru::apps::turbulence
