// One stage of a time step in one block, in explicit vectors: fluxes, their sum, the update, and
// the waves of the new state.
#pragma once

#include <string>
#include <vector>

#include "apps/multiblock_flow/fields.hpp"

namespace hakaru::apps::multiblock_flow {

// first: the states of the cells; muscl: kappa = 1/3 on conserved unknowns without limiter;
// limited: the same with van Albada's.
enum class Scheme { first, muscl, limited };
constexpr int layers_of(Scheme scheme) { return scheme == Scheme::first ? 1 : ghost_layers; }

// out = keep * base + take * (state - dt / V * sum of F S)
struct Stage {
  const Cells* state;
  const Cells* base;
  Cells* out;  // may be `base`, not `state`
  const Metrics* metrics;
  double keep, take, dt;
  bool waves;                        // whether lambda is wanted
  std::array<bool, axes> has_waves;  // axes along which the zone has more than one cell
};

// Cells of a tile: rows [j_begin, j_end) of planes [k_begin, k_end).
struct Tile {
  int j_begin, j_end, k_begin, k_end;
};
inline constexpr int tile_rows = 16, tile_planes = 32;
std::vector<Tile> tiles_of(const Index& cells);

// Rows that a thread needs beside the block's.
class Workspace {
 public:
  // For tiles of blocks with up to `most_cells` cells along i.
  explicit Workspace(int most_cells);
  double* primitives(int parity, int row) {
    return numbers_.data() + (parity * (tile_rows + 2) + row) * primitive_numbers * row_;
  }
  // Row 0 and 1: fluxes along j in turns; 2: along i; from 3: along k, of each row and a spare one.
  double* flux(int row) { return flux_ + unknowns * row_ * row; }
  std::ptrdiff_t row() const { return row_; }

  static constexpr int primitive_numbers = 7;  // rho, u, v, w, p, c, H

 private:
  std::ptrdiff_t row_;
  base::AlignedArray<double> numbers_;
  double* flux_;
};

// The largest sum over axes of (|u . S| + c |S|) / V of the new state, with S between the faces; 0
// when not wanted.
double advance(const Stage& stage, Scheme scheme, const Tile& tile, Workspace& workspace);
// The same of a state as it is.
double waves_of(const Stage& stage, const Tile& tile);

// Operations of a cell by this table; additions, multiplications, divisions, square roots, maxima
// and absolute values count one each, fused ones two.
//   primitive unknowns of a state 17; flux of a face 77; reconstruction at a face 60, limited 200;
//   sum of fluxes and update 36, with a base 51; waves 19 and 21 for each axis
// words: numbers read and written, of which `written` are written.
struct CellWork {
  double flops, words, written;
};
CellWork cell_work(Scheme scheme, bool reads_base, int axes_with_waves);

std::string vector_target();

}  // namespace hakaru::apps::multiblock_flow
