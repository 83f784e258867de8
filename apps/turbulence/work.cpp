#include "apps/turbulence/work.hpp"

#include <cmath>

#include "apps/turbulence/checkpoint.hpp"

namespace hakaru::apps::turbulence {
namespace {

constexpr double complex_bytes = sizeof(Complex);
constexpr double stages = 4.0, grids = 2.0;

// What all ranks together hold.
struct Extent {
  double lines = 0.0;  // along y, in blocks that hold retained modes
  double modes = 0.0;  // visited in these blocks: rows with |ky| <= reach
  double rows;         // along x on a plane of constant y
  double n;
};

Extent extent_of(int n) {
  const Grid grid(n, 0, 1);
  Extent extent{0.0, 0.0, grid.cutoff() + 1.0, static_cast<double>(n)};
  for (const Block& block : grid.blocks()) {
    extent.lines += grid.width();
    extent.modes += (2.0 * block.reach + 1.0) * grid.width();
  }
  return extent;
}

base::PhaseWork fft_work(const Extent& e, double steps) {
  // Lines along y: 6 out and 3 back. Along x: 6 and 3 on n planes. Along z: two real fields are one
  // complex line; 3 and 3/2.
  const double lines = 9.0 * e.lines + 9.0 * e.n * e.rows + 4.5 * e.n * e.n;
  const double transforms = stages * grids * lines * steps;
  const double bytes = transforms * e.n * 2.0 * complex_bytes;
  return {"fft",
          transforms * 5.0 * e.n * std::log2(e.n),
          bytes,
          1.5 * bytes,
          0,
          0,
          stages * grids * 3.0 * steps};
}

base::PhaseWork pointwise_work(const Extent& e, double steps) {
  const double points = e.n * e.n * e.n, halves = e.n * e.n * e.rows;
  // Per mode: curl 18, phases 6 + 3 * 6 on the shifted grid. Joining the grids and projecting 60.
  // The stages 16 + 14 + 16 + 4 a component, the balance of energy and the norms 30.
  double flops = stages * (18.0 + 42.0 + 60.0) * e.modes + (3.0 * 50.0 + 30.0) * e.modes;
  // Per point or row element of a plane: pairs 12 and 6, cross product 9.
  flops += stages * grids * (18.0 * halves + 9.0 * points);
  double loads =
      stages * (grids * 3.0 + 9.0) + 3.0 + 6.0 + 6.0 + 3.0 + 6.0;  // complex values a mode
  double stores = stages * (grids * 6.0 + 3.0) + 6.0 + 6.0 + 6.0 + 3.0;
  loads *= e.modes, stores *= e.modes;
  loads += stages * grids * (6.0 * halves + 3.0 * points + 0.25 * points + 3.0 * halves);
  stores += stages * grids * (3.0 * points + 1.5 * points + 0.25 * points + 3.0 * halves);
  return {"pointwise",
          flops * steps,
          (loads + stores) * complex_bytes * steps,
          (loads + 2.0 * stores) * complex_bytes * steps,
          0,
          0,
          stages * grids * 3.0 * steps};
}

base::PhaseWork pack_work(const Extent& e, double steps) {
  // Values of retained lines copied between slots and scratch: 6 fields out and in, 3 results out
  // and in.
  const double values = stages * grids * 18.0 * e.lines * e.n * steps;
  return {"pack", 0, 2.0 * values * complex_bytes, 3.0 * values * complex_bytes,
          0,      0, stages * grids * 4.0 * steps};
}

base::PhaseWork transpose_work(const Scale& s) {
  const double pairs = double(s.ranks) * (s.ranks - 1),
               transposes = s.ranks > 1 ? 72.0 * s.steps : 0.0;
  // A block is n/ranks planes of y, n/2/ranks planes of kz and n values of kx.
  const double block_bytes = 0.5 * std::pow(s.n, 3) / (double(s.ranks) * s.ranks) * complex_bytes;
  return {"transpose",         0, 0, 0, pairs * transposes, pairs * transposes * block_bytes,
          transposes * s.ranks};
}

base::PhaseWork reduce_work(const Scale& s, const Extent& e) {
  // One allreduce at the start and one a step, or one a stage with forcing; counted as recursive
  // doubling.
  const double calls = 1.0 + (s.forced ? stages : 1.0) * s.steps;
  const double messages = calls * s.ranks * std::ceil(std::log2(s.ranks)),
               bytes = 5.0 * 8.0 * e.rows;
  return {"reduce", 0, 0, 0, messages, messages * bytes, calls * s.ranks};
}

}  // namespace

base::Work work_of(const Scale& s) {
  const Extent extent = extent_of(s.n);
  const double cube = std::pow(s.n, 3), steps = s.steps;
  const double slots = 4.0 * 3.0 + spectral_slots + (s.ranks > 1 ? fields : 0);
  const double scratch =
      complex_bytes * s.n *
      (fields * Grid::block_width(s.n) + fields * 0.5 * Plans::row_stride_of(s.n) +
       4.0 * Plans::row_width_of(s.n) + 0.5 * s.n);
  const double file = s.checkpoint ? checkpoint_bytes(s.n) : 0.0;
  return {static_cast<double>(s.n),
          slots * 0.5 * cube * complex_bytes + scratch * s.ranks * s.threads,
          {fft_work(extent, steps),
           pointwise_work(extent, steps),
           pack_work(extent, steps),
           transpose_work(s),
           reduce_work(s, extent),
           {"io", 0, file, file, 0, 0, s.checkpoint ? double(s.ranks) : 0.0},
           {"baseline", 0, 0, 0, 0, 0, 0}}};
}

double conventional_flops(int n) { return 540.0 * std::pow(n, 3) * std::log2(n); }
double radix4_flops(int n) { return 459.0 * std::pow(n, 3) * std::log2(n); }

}  // namespace hakaru::apps::turbulence
