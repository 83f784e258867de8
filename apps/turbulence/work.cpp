#include "apps/turbulence/work.hpp"

#include <cmath>

namespace hakaru::apps::turbulence {
namespace {

constexpr double complex_bytes = sizeof(Complex);

// `loads` and `stores` count complex values.
schedule::Work pointwise(double flops, double loads, double stores) {
  return {flops, (loads + stores) * complex_bytes, (loads + 2.0 * stores) * complex_bytes, -1.0};
}

// Transforms of `lines` of n values.
schedule::Work transforms(double n, double lines) {
  const double bytes = lines * n * 2.0 * complex_bytes;
  return {lines * 5.0 * n * std::log2(n), bytes, 1.5 * bytes, -1.0};
}

// Values copied between slots and scratch.
schedule::Work copies(double values) {
  return {0.0, 2.0 * values * complex_bytes, 3.0 * values * complex_bytes, -1.0};
}

}  // namespace

Extent whole_extent(int n) {
  const double size = n;
  const Extent bare{0.0, 0.0, size, 0.0, Grid::reach(n, 0) + 1.0, size};
  Extent whole = extent_of(bare, 0, 1);
  whole.all_lines = whole.lines;
  return whole;
}

Extent extent_of(const Extent& whole, int rank, int ranks) {
  const int n = static_cast<int>(whole.n), width = Grid::block_width(n);
  Extent extent{0.0, 0.0, whole.n / ranks, whole.all_lines, whole.rows, whole.n};
  for (const Block& block : Grid::blocks_of(n, rank, ranks)) {
    extent.lines += width;
    extent.modes += (2.0 * block.reach + 1.0) * width;
  }
  return extent;
}

PartWork lines_work(const Extent& e, bool shifted) {
  // Per mode: curl 18, and on the shifted grid the phases 6 + 3 * 6.
  return {transforms(e.n, fields * e.lines),
          pointwise((shifted ? 42.0 : 18.0) * e.modes, 3.0 * e.modes, fields * e.modes),
          copies(fields * e.lines * e.n)};
}

PartWork planes_work(const Extent& e) {
  const double points = e.n * e.n * e.planes, halves = e.n * e.planes * e.rows;
  // Lines along x: 6 out and 3 back. Along z: two real fields are one complex line; 3 and 3/2.
  const double lines = (fields + results) * e.planes * e.rows + 4.5 * e.planes * e.n;
  // Per point or row element of a plane: pairs 12 and 6, cross product 9.
  return {transforms(e.n, lines),
          pointwise(18.0 * halves + 9.0 * points,
                    6.0 * halves + 3.0 * points + 0.25 * points + 3.0 * halves,
                    3.0 * points + 1.5 * points + 0.25 * points + 3.0 * halves),
          copies((fields + results) * e.all_lines * e.planes)};
}

PartWork stage_work(const Extent& e, Stage stage) {
  // Per mode: joining the grids and projecting 60 flops, 9 loads, 3 stores. Then a component of the
  // stage; in the first the balance of energy, in the last the norms.
  double flops = 60.0, loads = 9.0, stores = 3.0;
  switch (stage) {
    case Stage::first:
      flops += 3 * 16.0 + 24.0, loads += 3.0 + 6.0, stores += 6.0;
      break;
    case Stage::second:
      flops += 3 * 14.0, loads += 6.0, stores += 6.0;
      break;
    case Stage::third:
      flops += 3 * 16.0, loads += 6.0, stores += 6.0;
      break;
    case Stage::fourth:
      flops += 3 * 4.0 + 6.0, loads += 3.0, stores += 3.0;
      break;
    case Stage::rate:
      break;
  }
  return {transforms(e.n, 2.0 * results * e.lines),
          pointwise(flops * e.modes, loads * e.modes, stores * e.modes),
          copies(2.0 * results * e.lines * e.n)};
}

double reduce_bytes(int n) { return 5.0 * 8.0 * (Grid::reach(n, 0) + 1.0); }

double block_bytes(int n, int ranks) {
  // n/ranks planes of y, n/2/ranks planes of kz and n values of kx.
  return 0.5 * std::pow(n, 3) / (double(ranks) * ranks) * complex_bytes;
}

base::Work size_of(const Scale& s) {
  const double cube = std::pow(s.n, 3);
  const double slots = 4.0 * 3.0 + spectral_slots + (s.ranks > 1 ? fields : 0);
  const double scratch =
      complex_bytes * s.n *
      (fields * Grid::block_width(s.n) + fields * 0.5 * Plans::row_stride_of(s.n) +
       4.0 * Plans::row_width_of(s.n) + 0.5 * s.n);
  return {static_cast<double>(s.n),
          slots * 0.5 * cube * complex_bytes + scratch * s.ranks * s.threads,
          {}};
}

double conventional_flops(int n) { return 540.0 * std::pow(n, 3) * std::log2(n); }
double radix4_flops(int n) { return 459.0 * std::pow(n, 3) * std::log2(n); }

}  // namespace hakaru::apps::turbulence
