// What each rank does in one repetition, and its work.
#pragma once

#include "apps/electrons/layout.hpp"
#include "apps/electrons/nonlocal.hpp"
#include "apps/electrons/simulation.hpp"
#include "native/base/description.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::electrons {

struct Scale {
  RankLayout layout;
  double grid_points = 0.0;
  int k_points = 0, bands = 0, extra_bands = 0;
  int threads = 1;
  NonlocalCount nonlocal;
  int steps = 0, corrections = 0, energy_interval = 0, operations = 1;
  bool film = false, waves = false, copies = true;
  int vacuum_before = 0, vacuum_after = 0;
  bool checkpoint = false;  // after the last step, and every so many:
  int checkpoint_interval = 0;
};

Scale scale_of(const Settings& settings, const base::Layout& layout);

// Size and memory of all ranks.
base::Work size_of(const Scale& scale);
// Flops of the stencil in one step of all points by the published count: 158 a point and
// application.
double stencil_flops_of_step(const Scale& scale);
harness::RankSchedule rank_schedule(const Scale& scale);

}  // namespace hakaru::apps::electrons
