// What is checked after a run and by verify.
#pragma once

#include <vector>

#include "apps/lattice_qcd/simulation.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::lattice_qcd {

struct Mean {
  double mean, error;  // one standard deviation, from the scatter of bins
};
Mean mean_of_second_half(const std::vector<double>& values);

// The mean plaquette, in the phases of a repetition. Collective.
double timed_plaquette(const GaugeField& field, const Timing& timing);

// <w, W x> = <W^dagger w, x> for random fields. Collective.
void check_adjoint(const GaugeField& gauge, const SolverChoice& choice, const Timing& timing,
                   base::Checks& checks);
// Links in SU(3), and plaquettes against published ones where there are some. Collective.
void check_generated(const GaugeField& gauge, std::int64_t sweeps, double beta,
                     const std::vector<double>& plaquettes, base::Checks& checks);

// A lattice of 4 x 4 x 4 x 12 sites for `verify`. Parts spoil their results where run.damaged().
struct Trial {
  Trial(harness::Run& run, base::Checks& checks);
  GaugeField field() const { return GaugeField(place, world); }
  GaugeField random_field() const;

  harness::Run& run;
  base::Checks& checks;
  parallel::Communicator world;
  Place place;
  Timing timing;
};
void verify_operator(Trial& trial);
void verify_solvers(Trial& trial);
void verify_gauge(Trial& trial);
void verify_everything(harness::Run& run, base::Checks& checks);

}  // namespace hakaru::apps::lattice_qcd
