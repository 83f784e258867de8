#include "apps/turbulence/canonical.hpp"

#include <fmt/format.h>

namespace hakaru::apps::turbulence {

std::int64_t plane_modes(int n, int kz) {
  std::int64_t count = 0;
  const int most = Grid::reach(n, std::int64_t{kz} * kz);
  for (int ky = -most; ky <= most; ++ky)
    count += 2 * Grid::reach(n, std::int64_t{kz} * kz + std::int64_t{ky} * ky) + 1;
  return count;
}

std::vector<Complex> pack_plane(const Grid& grid, const State& state, int plane) {
  std::vector<Complex> values;
  values.reserve(3 * plane_modes(grid.n(), grid.kz_of(plane)));
  grid.for_each_mode_of(plane, [&](int, int kx, int ky, int) {
    for (int component = 0; component < 3; ++component)
      values.push_back(state[grid.index(plane, grid.index_of(kx), grid.index_of(ky), component)]);
  });
  return values;
}

void unpack_plane(const Grid& grid, const std::vector<Complex>& values, int plane, State& state) {
  auto value = values.begin();
  grid.for_each_mode_of(plane, [&](int, int kx, int ky, int) {
    for (int component = 0; component < 3; ++component)
      state[grid.index(plane, grid.index_of(kx), grid.index_of(ky), component)] = *value++;
  });
}

std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t start) {
  const auto* byte = static_cast<const unsigned char*>(data);
  std::uint64_t hash = start;
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * 0x100000001b3;
  return hash;
}

std::string digest(const Grid& grid, const State& state,
                   const parallel::Communicator& communicator) {
  std::vector<std::uint64_t> planes(grid.n() / 2, 0);
  for (int plane = 0; plane < grid.planes(); ++plane) {
    const std::vector<Complex> values = pack_plane(grid, state, plane);
    planes[grid.kz_of(plane)] = hash_bytes(values.data(), values.size() * sizeof(Complex));
  }
  communicator.sum(planes);
  return fmt::format("{:016x}", hash_bytes(planes.data(), planes.size() * sizeof(std::uint64_t)));
}

std::vector<Complex> collect(const Grid& grid, const State& state,
                             const parallel::Communicator& communicator) {
  std::vector<Complex> all;
  for (int kz = 0; kz <= grid.cutoff(); ++kz) {
    const int owner = kz % grid.ranks();
    std::vector<Complex> plane(3 * plane_modes(grid.n(), kz));
    if (owner == grid.rank()) plane = pack_plane(grid, state, kz / grid.ranks());
    communicator.broadcast(plane, owner);
    all.insert(all.end(), plane.begin(), plane.end());
  }
  return all;
}

}  // namespace hakaru::apps::turbulence
