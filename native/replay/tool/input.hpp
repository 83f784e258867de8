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

// Why the program cannot progress where sends wait for their receives; empty: it can.
std::string why_it_needs_buffers(const schedule::Schedule& schedule);

// The network for this input. Nobody is held whose message has gone where the program relies on
// buffering: senders are free once their receivers call MPI, be it for something else.
nlohmann::json network_for(Input& input, nlohmann::json network);

// Of messages whose data are packed or unpacked.
std::uint64_t operations_with_gaps(const schedule::Schedule& schedule);

// What the network cannot price of so many of them, which then takes no time: a sentence, or
// nothing.
std::string unpriced(std::uint64_t with_gaps, const nlohmann::json& network);

}  // namespace hakaru::replay
