// Everything that follows from the parameters and the layout of a run.
#pragma once

#include <string>

#include "apps/lattice_qcd/heat_bath.hpp"
#include "apps/lattice_qcd/schedule.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::apps::lattice_qcd {

enum class Start { cold, random, file };

struct Settings {
  // The lattice is divided among layout.ranks; `refusal` says why it cannot be, or is "".
  Settings(const base::Parameters& parameters, const base::Layout& layout);

  std::string refusal;
  Repetition repetition;
  Start start;
  Update update;
  Stop stop;
  std::string configuration, save;
};

void declare_parameters(base::Description& description);

}  // namespace hakaru::apps::lattice_qcd
