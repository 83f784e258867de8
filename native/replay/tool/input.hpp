// Where a schedule comes from.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

// `warnings`: what a trace says against itself, such as that its ranks shared processors.
struct Input {
  schedule::Schedule schedule;
  std::vector<std::string> warnings;
  std::optional<bool> relies_on_buffering = std::nullopt;  // once it was asked for
};

// `as_traced`: what the tracer took counts as computing. Throws UserError when nothing can be read
// from `path`.
Input read_input(const std::string& path, bool as_traced = false);

// Whether a level of the network holds senders although their messages have gone.
bool attends(const nlohmann::json& network);

// Whether the program can progress only where sends do not wait for their receives. Such programs
// run all the same where senders are free once their receivers call MPI, be it for something else.
bool relies_on_buffering(Input& input);

// The network for this input: nobody is held where the program relies on buffering.
nlohmann::json network_for(Input& input, nlohmann::json network);

// Of messages whose data are packed or unpacked.
std::uint64_t operations_with_gaps(const schedule::Schedule& schedule);

// What the network cannot price of so many of them, which then takes no time: a sentence, or
// nothing.
std::string unpriced(std::uint64_t with_gaps, const nlohmann::json& network);

}  // namespace hakaru::replay
