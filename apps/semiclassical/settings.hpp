// From the parameters of the command line to what an ensemble of trajectories needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/semiclassical/model.hpp"
#include "native/base/description.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::apps::semiclassical {

struct Settings {
  Model model;
  std::vector<double> centre_q, centre_p;  // of the initial wave packet
  double hbar = 1.0, width = 1.0;
  std::int64_t trajectories = 1, steps = 1, interval = 1;
  double dt = 0.05;
  std::uint64_t seed = 1;
  std::int64_t part = 0;  // trajectories between two sums over all ranks
  bool inside = false;    // threads share the columns of a trajectory's matrix
  double most_energy_change = 0.01;
  std::string checkpoint, restart;

  // Times at which the correlation is known: 0, interval, 2 interval, ...
  std::int64_t outputs() const { return steps / interval + 1; }
  std::int64_t parts() const { return (trajectories + part - 1) / part; }
};

void declare_parameters(base::Description& description);
// Degrees of freedom; reads the input file alone. Throws UserError.
int degrees_of(const base::Parameters& parameters);
// `geometry`: also the centre of the wave packet, for which clusters are relaxed. Throws UserError.
Settings settings_of(const base::Parameters& parameters, bool geometry);

}  // namespace hakaru::apps::semiclassical
