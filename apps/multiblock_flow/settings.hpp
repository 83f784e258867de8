// Everything that follows from the parameters and the layout of a run.
#pragma once

#include <memory>
#include <string>

#include "apps/multiblock_flow/problem.hpp"
#include "apps/multiblock_flow/schedule.hpp"
#include "native/base/parameters.hpp"

namespace hakaru::apps::multiblock_flow {

struct Settings {
  // `refusal` says why these parameters cannot run on this layout, or is "".
  Settings(const base::Parameters& parameters, const base::Layout& layout);

  std::string refusal;
  std::shared_ptr<const Problem> problem;
  Repetition repetition;
  double cfl;
  std::string restart, output;
};

void declare_parameters(base::Description& description);

}  // namespace hakaru::apps::multiblock_flow
