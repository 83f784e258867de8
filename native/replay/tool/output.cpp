#include "native/replay/tool/output.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hakaru::replay {

namespace {

using nlohmann::json;

struct Part {
  const char* name;
  double RankResult::*value;
};
constexpr std::array<Part, 6> parts = {{{"finish", &RankResult::finish_s},
                                        {"compute", &RankResult::compute_s},
                                        {"overhead", &RankResult::overhead_s},
                                        {"runtime", &RankResult::runtime_s},
                                        {"waiting", &RankResult::waiting_s},
                                        {"file", &RankResult::file_s}}};

Spread spread(const Result& result, double RankResult::*value) {
  Spread one{INFINITY, 0, 0};
  for (const RankResult& rank : result.ranks) {
    one.minimum = std::min(one.minimum, rank.*value);
    one.maximum = std::max(one.maximum, rank.*value);
    one.mean += rank.*value / static_cast<double>(result.ranks.size());
  }
  return one;
}

json to_json(const Spread& one) {
  return {{"minimum", one.minimum}, {"mean", one.mean}, {"maximum", one.maximum}};
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

std::vector<std::pair<const char*, double>> path_parts(const CriticalPath& path) {
  return {{"compute", path.compute_s},      {"overhead", path.overhead_s},
          {"runtime", path.runtime_s},      {"file", path.file_s},
          {"latency", path.latency_s},      {"bandwidth", path.bandwidth_s},
          {"contention", path.contention_s}};
}

std::string phase_name(const schedule::Schedule& schedule, std::size_t phase) {
  return phase < schedule.phases.size() ? schedule.phases[phase].name : "other";
}

}  // namespace

json to_json(const Result& result, const schedule::Schedule& schedule, const Spent& spent,
             bool each_rank) {
  json out = {{"program", schedule.program},     {"ranks", schedule.ranks},
              {"makespan_s", result.makespan_s}, {"engine", result.engine},
              {"messages", result.messages},     {"message_bytes", result.bytes}};
  for (const Part& part : parts) out["breakdown"][part.name] = to_json(spread(result, part.value));
  out["phases"] = json::array();
  for (const PhaseResult& phase : result.phases)
    out["phases"].push_back(
        {{"name", phase.name}, {"kind", phase.kind}, {"time_s", to_json(phase.seconds)}});
  if (result.has_critical_path) {
    json& path = out["critical_path"];
    for (const auto& [name, seconds] : path_parts(result.critical_path))
      path["kinds"][name] = seconds;
    for (std::size_t i = 0; i < result.critical_path.phase_s.size(); ++i)
      path["phases"][phase_name(schedule, i)] = result.critical_path.phase_s[i];
    path["messages"] = result.critical_path.messages;
  }
  if (each_rank) {
    const std::size_t columns = result.phases.size();
    for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
      const RankResult& one = result.ranks[rank];
      json line = {{"messages", one.messages}, {"message_bytes", one.bytes}};
      for (const Part& part : parts) line[std::string(part.name) + "_s"] = one.*part.value;
      for (std::size_t i = 0; i < columns; ++i)
        line["phases"].push_back(result.phase_s[rank * columns + i]);
      out["rank_results"].push_back(std::move(line));
    }
  }
  out["spent"] = {
      {"read_s", spent.read_s}, {"replay_s", spent.replay_s}, {"peak_bytes", peak_bytes()}};
  return out;
}

void print(const Result& result, const schedule::Schedule& schedule, const Spent& spent,
           std::FILE* out) {
  fmt::print(out, "{} on {} ranks: {:.6g} s, {} messages, {:.4g} MB ({})\n", schedule.program,
             schedule.ranks, result.makespan_s, result.messages,
             static_cast<double>(result.bytes) * 1e-6, result.engine);
  fmt::print(out, "{:<24}{:>14}{:>14}{:>14}\n", "over ranks, in s", "minimum", "mean", "maximum");
  const auto line = [out](const std::string& name, const Spread& one) {
    fmt::print(out, "{:<24}{:>14.6g}{:>14.6g}{:>14.6g}\n", name, one.minimum, one.mean,
               one.maximum);
  };
  for (const Part& part : parts) line(part.name, spread(result, part.value));
  for (const PhaseResult& phase : result.phases) line("phase " + phase.name, phase.seconds);
  if (result.has_critical_path) {
    fmt::print(out, "critical path, shares:");
    for (const auto& [name, seconds] : path_parts(result.critical_path))
      if (seconds > 0) fmt::print(out, " {} {:.1f} %", name, 100 * seconds / result.makespan_s);
    fmt::print(out, "; {} messages on it\n", result.critical_path.messages);
    for (std::size_t i = 0; i < result.critical_path.phase_s.size(); ++i)
      if (result.critical_path.phase_s[i] > 0)
        fmt::print(out, "  phase {}: {:.1f} %\n", phase_name(schedule, i),
                   100 * result.critical_path.phase_s[i] / result.makespan_s);
  }
  fmt::print(out, "replayed in {:.3f} s ({:.3g} messages/s), peak {:.0f} MB\n", spent.replay_s,
             static_cast<double>(result.messages) / std::max(spent.replay_s, 1e-9),
             peak_bytes() * 1e-6);
}

}  // namespace hakaru::replay
