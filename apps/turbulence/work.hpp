// Work of one repetition as exact functions of the parameters and the layout.
#pragma once

#include "apps/turbulence/solver.hpp"
#include "native/base/description.hpp"

namespace hakaru::apps::turbulence {

struct Scale {
  int n, steps;
  bool forced, checkpoint;
  int ranks, threads;
};

base::Work work_of(const Scale& scale);

// Flops of a step by the two conventions in use: 72 real transforms at 2.5 n^3 log2(n^3), and the
// operation count of radix 4, 459 n^3 log2 n.
double conventional_flops(int n);  // 540 n^3 log2 n
double radix4_flops(int n);        // 459 n^3 log2 n

}  // namespace hakaru::apps::turbulence
