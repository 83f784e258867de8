#include "native/replay/engine/options.hpp"

#include <fmt/core.h>

#include <cmath>

#include "native/base/require.hpp"
#include "native/replay/engine/collectives/algorithm.hpp"
#include "native/replay/networks/reading.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

using base::require;
using nlohmann::json;

namespace {

std::string text(const json& object, const std::string& where, const char* key) {
  require(object.contains(key) && object[key].is_string(),
          fmt::format("{}: '{}' is no text", where, key));
  return object[key].get<std::string>();
}

std::vector<TableEntry> read_table(const json& given, const std::string& where, const char* key) {
  require(given[key].is_array() && !given[key].empty(),
          fmt::format("{}: '{}' is empty", where, key));
  std::vector<TableEntry> table;
  const std::string of_line = fmt::format("{}.{}", where, key);
  for (const json& line : given[key]) {
    require_keys(line, of_line, {"ranks", "bytes", "value_s"});
    table.push_back({number(line, of_line, "ranks", NAN, 1), number(line, of_line, "bytes", 0),
                     number(line, of_line, "value_s", NAN)});
  }
  return table;
}

CollectivePrice read_price(const json& given, const std::string& name, schedule::Collective what) {
  const std::string where = "collectives." + name;
  require_keys(given, where,
               {"algorithm", "table", "grid_table", "hardware_s", "stage_s", "stage_s_per_byte",
                "stage_wire_s_per_byte", "wire_s_per_byte"});
  CollectivePrice price;
  price.hardware_s = number(given, where, "hardware_s", 0);
  price.stage_s = number(given, where, "stage_s", 0);
  price.stage_s_per_byte = number(given, where, "stage_s_per_byte", 0);
  price.stage_wire_s_per_byte = number(given, where, "stage_wire_s_per_byte", 0);
  price.wire_s_per_byte = number(given, where, "wire_s_per_byte", 0);
  if (given.contains("algorithm")) price.algorithm = text(given, where, "algorithm");
  if (given.contains("table")) {
    require(price.algorithm.empty(), fmt::format("{} has an algorithm and a table", where),
            "one of them prices it");
    price.table = read_table(given, where, "table");
  }
  if (given.contains("grid_table")) {
    require(what == schedule::Collective::neighbour_exchange && !price.table.empty(),
            fmt::format("{} has a 'grid_table'", where),
            "only a neighbour_exchange with a 'table' has one");
    price.grid_table = read_table(given, where, "grid_table");
  }
  if (price.algorithm.empty() || find_algorithm(what, price.algorithm) != nullptr) return price;
  std::string known;
  for (const Algorithm& one : algorithms(what)) known += fmt::format(" {}", one.name);
  throw base::UserError(
      base::ExitCode::usage,
      base::explain(fmt::format("there is no algorithm '{}' for {}", price.algorithm, name), "",
                    "choose one of" + known));
}

void read_collectives(const json& given, std::map<std::string, CollectivePrice>& prices) {
  require(given.is_object(), "'collectives' is no object");
  constexpr int count = static_cast<int>(schedule::Collective::neighbour_exchange) + 1;
  for (const auto& [name, price] : given.items()) {
    bool known = false;
    for (int i = 0; i < count && !known; ++i) {
      const auto what = static_cast<schedule::Collective>(i);
      known = name == schedule::name_of(what);
      if (known) prices[name] = read_price(price, name, what);
    }
    require(known, fmt::format("there is no collective '{}'", name));
  }
}

std::vector<Noise::Detours> read_detours(const json& given) {
  require(given.contains("detours") && given["detours"].is_array() && !given["detours"].empty(),
          "noise: 'detours' is empty");
  std::vector<Noise::Detours> detours;
  for (const json& one : given["detours"]) {
    require_keys(one, "noise.detours", {"rate_per_s", "detour_s"});
    detours.push_back({number(one, "noise.detours", "rate_per_s", NAN),
                       number(one, "noise.detours", "detour_s", NAN)});
  }
  return detours;
}

bool flag(const json& given, const char* where, const char* key) {
  if (!given.contains(key)) return false;
  require(given[key].is_boolean(), fmt::format("{}: '{}' is neither true nor false", where, key));
  return given[key].get<bool>();
}

Noise read_noise(const json& given) {
  require_keys(given, "noise",
               {"kind", "period_s", "detour_s", "together", "mean_s", "relative_deviation",
                "samples_s", "detours", "seed", "calls"});
  Noise noise;
  const std::string kind = text(given, "noise", "kind");
  noise.seed = static_cast<std::uint64_t>(
      count(given, "noise", "seed", static_cast<std::int64_t>(noise.seed)));
  if (kind == "none") {
    noise.kind = Noise::Kind::none;
  } else if (kind == "periodic") {
    noise.kind = Noise::Kind::periodic;
    noise.period_s = number(given, "noise", "period_s", NAN);
    noise.detour_s = number(given, "noise", "detour_s", NAN);
    require(noise.period_s > noise.detour_s, "noise: the detour is as long as its period");
  } else if (kind == "exponential") {
    noise.kind = Noise::Kind::exponential;
    noise.mean_s = number(given, "noise", "mean_s", NAN);
  } else if (kind == "gaussian") {
    noise.kind = Noise::Kind::gaussian;
    noise.relative_deviation = number(given, "noise", "relative_deviation", NAN);
  } else if (kind == "empirical") {
    noise.kind = Noise::Kind::empirical;
    require(
        given.contains("samples_s") && given["samples_s"].is_array() && !given["samples_s"].empty(),
        "noise: 'samples_s' is empty");
    for (const json& sample : given["samples_s"]) {
      require(
          sample.is_number() && std::isfinite(sample.get<double>()) && sample.get<double>() >= 0,
          "noise: a sample is no duration");
      noise.samples_s.push_back(sample.get<double>());
    }
  } else if (kind == "detours") {
    noise.kind = Noise::Kind::detours;
    noise.detours = read_detours(given);
  } else {
    throw base::UserError(base::ExitCode::usage,
                          fmt::format("there is no noise '{}'; choose none, periodic, exponential, "
                                      "gaussian, empirical or detours",
                                      kind));
  }
  noise.together = flag(given, "noise", "together");
  require(!noise.together || noise.kind == Noise::Kind::periodic,
          fmt::format("noise: {} noise does not come to all ranks together", kind), "",
          "choose periodic, or no \"together\"");
  noise.calls = flag(given, "noise", "calls");
  require(!noise.calls || noise.kind == Noise::Kind::detours || noise.kind == Noise::Kind::periodic,
          fmt::format("noise: {} noise does not strike calls", kind),
          "it comes with operations, and not with time",
          "choose detours or periodic, or no \"calls\"");
  return noise;
}

// Options that only a network with put_get has a meaning for.
void read_put_get_options(const json& given, const Costs& costs, Options& options) {
  for (const char* key : {"strides", "queue", "run_time_system"})
    require(!given.contains(key) || costs.put_get.has_value(),
            fmt::format("options: '{}' needs a network with put_get", key),
            "elsewhere one-sided operations cost what messages do");
  if (given.contains("strides")) {
    require(given["strides"].is_boolean(), "options: 'strides' is neither true nor false");
    options.strides = given["strides"].get<bool>();
  }
  if (given.contains("queue")) {
    const json& queue = given["queue"];
    require_keys(queue, "queue", {"words", "words_per_command", "spill_time"});
    options.queue = {count(queue, "queue", "words", 0),
                     count(queue, "queue", "words_per_command", 1, 1),
                     number(queue, "queue", "spill_time", NAN)};
    require(costs.put_get->hardware, "options: 'queue' needs a message controller",
            "the network's put_get says \"hardware\": false");
  }
  if (given.contains("run_time_system")) {
    const json& system = given["run_time_system"];
    require_keys(system, "run_time_system", {"transfer_s", "collective_s"});
    options.run_time_system = {number(system, "run_time_system", "transfer_s", 0),
                               number(system, "run_time_system", "collective_s", 0)};
  }
}

Sharing read_sharing(const std::string& name) {
  if (name == "first_come") return Sharing::first_come;
  if (name == "max_min") return Sharing::max_min;
  require(name == "none", fmt::format("there is no sharing '{}'", name), "",
          "choose first_come, max_min or none");
  return Sharing::none;
}

}  // namespace

Costs read_costs(const json& network) {
  Costs costs;
  costs.reduction = read_pieces(network, "network", "reduction_s_per_byte");
  if (network.contains("file_system")) {
    const json& given = network["file_system"];
    require_keys(given, "file_system", {"operation_s", "rank_bytes_per_s", "total_bytes_per_s"});
    costs.file_system = FileSystem{number(given, "file_system", "operation_s", 0),
                                   number(given, "file_system", "rank_bytes_per_s", 0),
                                   number(given, "file_system", "total_bytes_per_s", 0)};
  }
  if (network.contains("put_get")) costs.put_get = read_put_get(network["put_get"]);
  if (network.contains("collectives")) read_collectives(network["collectives"], costs.collectives);
  if (network.contains("decision")) costs.decision = text(network, "network", "decision");
  require(costs.decision == "openmpi" || costs.decision == "mpich",
          fmt::format("there is no decision '{}'", costs.decision), "", "choose openmpi or mpich");
  return costs;
}

Options read_options(const json& given, Costs& costs) {
  require_keys(given, "options",
               {"compute_factor", "fork_s", "phase_factor", "roofline", "noise", "engine",
                "sharing", "progress", "receive_serialised", "critical_path", "collectives",
                "decision", "strides", "queue", "run_time_system"});
  Options options;
  options.compute_factor = number(given, "options", "compute_factor", 1);
  options.fork_s = number(given, "options", "fork_s", 0);
  if (given.contains("phase_factor")) {
    require(given["phase_factor"].is_object(), "options: 'phase_factor' is no object");
    for (const auto& [name, value] : given["phase_factor"].items())
      options.phase_factor[name] = number(given["phase_factor"], "phase_factor", name.c_str(), NAN);
  }
  if (given.contains("roofline")) {
    const json& roofline = given["roofline"];
    require_keys(roofline, "roofline", {"flop_rate", "memory_bandwidth", "write_allocate"});
    options.roofline = Roofline{number(roofline, "roofline", "flop_rate", NAN),
                                number(roofline, "roofline", "memory_bandwidth", NAN),
                                roofline.value("write_allocate", false)};
    require(options.roofline->flops_per_s > 0 && options.roofline->bytes_per_s > 0,
            "roofline: a rate is 0");
  }
  if (given.contains("noise")) options.noise = read_noise(given["noise"]);
  if (given.contains("engine")) {
    const std::string engine = text(given, "options", "engine");
    require(engine == "automatic" || engine == "run_until_blocked" || engine == "time_ordered",
            fmt::format("there is no engine '{}'", engine), "",
            "choose automatic, run_until_blocked or time_ordered");
    if (engine == "run_until_blocked") options.engine = EngineChoice::run_until_blocked;
    if (engine == "time_ordered") options.engine = EngineChoice::time_ordered;
  }
  if (given.contains("sharing")) options.sharing = read_sharing(text(given, "options", "sharing"));
  if (given.contains("progress")) {
    const std::string progress = text(given, "options", "progress");
    require(progress == "by_level" || progress == "hardware" || progress == "in_calls",
            fmt::format("there is no progress '{}'", progress), "",
            "choose by_level, hardware or in_calls");
    if (progress == "hardware") options.progress = Progress::hardware;
    if (progress == "in_calls") options.progress = Progress::in_calls;
  }
  options.receive_serialised = flag(given, "options", "receive_serialised");
  options.critical_path = flag(given, "options", "critical_path");
  read_put_get_options(given, costs, options);
  if (given.contains("collectives")) read_collectives(given["collectives"], costs.collectives);
  if (given.contains("decision")) costs.decision = read_costs(given).decision;
  return options;
}

}  // namespace hakaru::replay
