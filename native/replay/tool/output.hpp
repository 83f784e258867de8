// A result for people and for programs.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>

#include "native/replay/engine/result.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

struct Spent {
  double read_s = 0;
  double replay_s = 0;
};

// {"makespan_s", "engine", "messages", "message_bytes", "ranks", "program", "breakdown": {part:
// {minimum, mean, maximum}}, "phases": [...],
//  "critical_path"?, "rank_results"? (with `each_rank`), "spent": {...}}; the caller adds what is
// said of the input
nlohmann::json to_json(const Result& result, const schedule::Schedule& schedule, const Spent& spent,
                       bool each_rank);
void print(const Result& result, const schedule::Schedule& schedule, const Spent& spent,
           std::FILE* out);

}  // namespace hakaru::replay
