// Work of one repetition as exact functions of the parameters and the layout.
#pragma once

#include "apps/turbulence/solver.hpp"
#include "native/base/description.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::apps::turbulence {

struct Scale {
  int n, steps;
  bool forced, checkpoint;
  int ranks, threads;
};

// Size and memory of all ranks.
base::Work size_of(const Scale& scale);

// What one rank holds, or all together.
struct Extent {
  double lines = 0.0;  // along y, in blocks that hold retained modes
  double modes = 0.0;  // visited in these blocks: rows with |ky| <= reach
  double planes;       // of constant y
  double all_lines;  // lines of all ranks, which is also the number of values that the rows along x
                     // hold on a plane
  double rows;       // along x on a plane of constant y
  double n;
};
Extent whole_extent(int n);
// What `rank` holds of the whole.
Extent extent_of(const Extent& whole, int rank, int ranks);

// Work of the parts of a stage, by phase.
struct PartWork {
  schedule::Work fft, pointwise, pack;
};
PartWork lines_work(const Extent& extent, bool shifted);  // Nonlinear::lines_to_slots
PartWork planes_work(const Extent& extent);               // Nonlinear::multiply
PartWork stage_work(const Extent& extent, Stage stage);   // Update::apply

// Length of the vector that Update::reduce adds up.
double reduce_bytes(int n);
// What one rank sends to one other in the transposition of one slot.
double block_bytes(int n, int ranks);

// Flops of a step by the two conventions in use: 72 real transforms at 2.5 n^3 log2(n^3), and the
// operation count of radix 4, 459 n^3 log2 n.
double conventional_flops(int n);  // 540 n^3 log2 n
double radix4_flops(int n);        // 459 n^3 log2 n

}  // namespace hakaru::apps::turbulence
