#include <algorithm>

#include "apps/multiblock_flow/kernel.hpp"

namespace hakaru::apps::multiblock_flow {

void Cells::fill(const State& state) {
  for (int k = -ghost_layers; k < n_[2] + ghost_layers; ++k)
    for (int j = -ghost_layers; j < n_[1] + ghost_layers; ++j)
      for (int u = 0; u < unknowns; ++u) {
        double* row = at(u, 0, j, k) - row_margin;
        std::fill(row, row + row_, state[u]);
      }
}

void Cells::copy_from(const Cells& other) {
  std::copy(other.numbers_.begin(), other.numbers_.end(), numbers_.begin());
}

std::vector<Tile> tiles_of(const Index& cells) {
  std::vector<Tile> tiles;
  for (int k = 0; k < cells[2]; k += tile_planes)
    for (int j = 0; j < cells[1]; j += tile_rows)
      tiles.push_back(
          {j, std::min(j + tile_rows, cells[1]), k, std::min(k + tile_planes, cells[2])});
  return tiles;
}

Workspace::Workspace(int most_cells) : row_(rounded_row(row_margin + most_cells + ghost_layers)) {
  const std::ptrdiff_t primitives = 2 * (tile_rows + 2) * primitive_numbers * row_;
  const std::ptrdiff_t fluxes = (tile_rows + 4) * unknowns * row_;
  numbers_ =
      base::AlignedArray<double>(static_cast<std::size_t>(primitives + fluxes) + 4 * most_lanes);
  flux_ = numbers_.data() + primitives;
}

// Words: the state and metrics once, the base where it is read, the new state.
CellWork cell_work(Scheme scheme, bool reads_base, int axes_with_waves) {
  const double primitives = 17.0, flux = 77.0, faces = 3.0;
  const double reconstruction = scheme == Scheme::first   ? 0.0
                                : scheme == Scheme::muscl ? 60.0
                                                          : 200.0;
  const double states = scheme == Scheme::first ? primitives : faces * 2.0 * primitives;
  const double update = 1.0 + unknowns * (reads_base ? 10.0 : 7.0);
  const double waves = axes_with_waves > 0 ? 19.0 + 21.0 * axes_with_waves : 0.0;
  return {states + faces * (flux + reconstruction) + update + waves,
          2.0 * unknowns + metric_numbers + (reads_base ? unknowns : 0.0), unknowns};
}

}  // namespace hakaru::apps::multiblock_flow
