// Where a schedule comes from.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

// `warnings`: what a trace says against itself, such as that its ranks shared processors.
struct Input {
  schedule::Schedule schedule;
  std::vector<std::string> warnings;
};

// Throws UserError when nothing can be read from `path`.
Input read_input(const std::string& path);

// What the network cannot price of the input, which then takes no time: a sentence, or nothing.
std::string unpriced(const schedule::Schedule& schedule, const nlohmann::json& network);

}  // namespace hakaru::replay
