#include "native/replay/networks/reading.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "native/base/require.hpp"

namespace hakaru::replay {

using base::require;
using nlohmann::json;

void require_keys(const json& object, const std::string& where,
                  const std::vector<std::string>& known) {
  require(object.is_object(), fmt::format("{} is no object", where), "it holds named values");
  for (const auto& [key, value] : object.items()) {
    const bool found = std::find(known.begin(), known.end(), key) != known.end();
    require(found, fmt::format("unknown key '{}' in {}", key, where), "",
            "see docs/reference/replay-engine.md for the keys");
  }
}

double number(const json& object, const std::string& where, const char* key, double fallback,
              double minimum) {
  if (!object.contains(key)) {
    require(!std::isnan(fallback), fmt::format("{} lacks '{}'", where, key));
    return fallback;
  }
  require(object[key].is_number(), fmt::format("{}: '{}' is no number", where, key));
  const double value = object[key].get<double>();
  require(std::isfinite(value) && value >= minimum,
          fmt::format("{}: '{}' is {}", where, key, value),
          fmt::format("at least {} is needed", minimum));
  return value;
}

std::int64_t count(const json& object, const std::string& where, const char* key,
                   std::int64_t fallback, std::int64_t minimum) {
  if (!object.contains(key)) return fallback;
  const double value = number(object, where, key, 0, static_cast<double>(minimum));
  require(value == std::floor(value) && value < 9e15,
          fmt::format("{}: '{}' is {}", where, key, value), "a whole number is needed");
  return static_cast<std::int64_t>(value);
}

std::vector<Piece> read_pieces(const json& level, const std::string& where, const char* key,
                               const char* value_key, double fallback, double least) {
  if (!level.contains(key)) return {{UINT64_MAX, fallback}};
  const json& given = level[key];
  if (given.is_number()) return {{UINT64_MAX, number(level, where, key, 0, least)}};
  require(given.is_array() && !given.empty(), fmt::format("{}: '{}' is empty", where, key),
          "a number or a list of size classes is needed");
  std::map<std::uint64_t, Piece> sorted;
  for (const json& one : given) {
    const std::string place = fmt::format("{}.{}", where, key);
    require_keys(one, place, {"minimum_bytes", "maximum_bytes", value_key});
    const auto lower = static_cast<std::uint64_t>(count(one, place, "minimum_bytes", 0));
    const bool unbounded = !one.contains("maximum_bytes") || one["maximum_bytes"].is_null();
    const auto upper =
        unbounded ? UINT64_MAX : static_cast<std::uint64_t>(count(one, place, "maximum_bytes", 0));
    require(lower <= upper, fmt::format("{}: minimum_bytes is above maximum_bytes", place));
    require(sorted.emplace(lower, Piece{upper, number(one, place, value_key, NAN, least)}).second,
            fmt::format("{}: two classes begin at {} bytes", place, lower));
  }
  std::vector<Piece> pieces;
  for (const auto& [lower, piece] : sorted) {
    require(pieces.empty() || lower >= pieces.back().maximum_bytes,
            fmt::format("{}: classes of '{}' overlap at {} bytes", where, key, lower));
    pieces.push_back(piece);
  }
  pieces.back().maximum_bytes = UINT64_MAX;
  return pieces;
}

double value_at(const std::vector<Piece>& pieces, std::uint64_t bytes) {
  return std::find_if(pieces.begin(), pieces.end(),
                      [bytes](const Piece& one) { return bytes <= one.maximum_bytes; })
      ->value;
}

namespace {

struct AtSize {
  std::uint64_t bytes;
  double value_s;
};

std::vector<AtSize> read_points(const json& level, const std::string& where, const char* key,
                                double least_s) {
  std::vector<AtSize> points;
  if (!level.contains(key)) return points;
  const std::string place = where + "." + key;
  require(level[key].is_array() && !level[key].empty(), fmt::format("{} is empty", place));
  for (const json& one : level[key]) {
    require_keys(one, place, {"bytes", "value_s"});
    points.push_back({static_cast<std::uint64_t>(count(one, place, "bytes", 0)),
                      number(one, place, "value_s", NAN, least_s)});
    require(points.size() < 2 || points[points.size() - 2].bytes < points.back().bytes,
            fmt::format("{}: sizes are not ascending", place));
  }
  return points;
}

// Linear between two points, constant before the first and beyond the last.
void set_later(const std::vector<AtSize>& points, SizeClass& one) {
  if (points.empty()) return;
  const auto upper = std::find_if(points.begin(), points.end(), [&one](const AtSize& point) {
    return point.bytes >= one.maximum_bytes;
  });
  if (upper == points.begin() || upper == points.end()) {
    one.later_s = upper == points.end() ? points.back().value_s : points.front().value_s;
    return;
  }
  const AtSize &a = *(upper - 1), &b = *upper;
  one.later_per_byte_s = (b.value_s - a.value_s) / static_cast<double>(b.bytes - a.bytes);
  one.later_s = a.value_s - one.later_per_byte_s * static_cast<double>(a.bytes);
}

std::vector<AccessPrice> read_accesses(const json& given, const std::string& where,
                                       const char* key) {
  const std::string place = where + "." + key;
  require(given.contains(key) && given[key].is_array() && !given[key].empty(),
          fmt::format("{} is empty", place), "one-sided operations are priced by size");
  std::vector<AccessPrice> prices;
  for (const json& one : given[key]) {
    require_keys(one, place,
                 {"bytes", "call_s", "gap_s", "done_s", "new_s", "flag_s", "apart_s", "seen_s"});
    prices.push_back({number(one, place, "bytes", NAN),
                      number(one, place, "call_s", NAN),
                      number(one, place, "gap_s", 0),
                      number(one, place, "done_s", 0),
                      {},
                      number(one, place, "flag_s", 0),
                      number(one, place, "apart_s", 0),
                      number(one, place, "seen_s", 0)});
    if (one.contains("new_s")) prices.back().new_s = number(one, place, "new_s", NAN);
    require(prices.size() < 2 || prices[prices.size() - 2].bytes < prices.back().bytes,
            fmt::format("{}: sizes are not ascending", place));
  }
  return prices;
}

// [{first, second, value}] by those names; both quantities at least as given.
Grid read_grid(const json& level, const std::string& where, const char* key, const char* first,
               const char* second, const char* value, double least_first, double least_second) {
  if (!level.contains(key)) return {};
  const std::string place = where + "." + key;
  require(level[key].is_array() && !level[key].empty(), fmt::format("{} is empty", place));
  std::vector<Grid::Point> points;
  for (const json& one : level[key]) {
    require_keys(one, place, {first, second, value});
    points.push_back({number(one, place, first, NAN, least_first),
                      number(one, place, second, NAN, least_second),
                      number(one, place, value, NAN)});
  }
  return Grid(std::move(points));
}

OneSided read_one_sided(const json& given, const std::string& where) {
  OneSided prices;
  const std::pair<std::string, CallPrice*> calls[] = {
      {"fence", &prices.fence},       {"lock", &prices.lock},   {"unlock", &prices.unlock},
      {"lock_all", &prices.lock_all}, {"flush", &prices.flush}, {"unlock_all", &prices.unlock_all},
      {"post", &prices.post},         {"start", &prices.start}, {"complete", &prices.complete},
      {"wait", &prices.wait}};
  std::vector<std::string> known{"put", "get", "accumulate", "put_pieces", "fence_late_s"};
  for (const auto& [name, price] : calls)
    known.insert(known.end(), {name + "_s", name + "_apart_s"});
  require_keys(given, where, known);
  prices.put = read_accesses(given, where, "put");
  prices.get = read_accesses(given, where, "get");
  prices.accumulate = read_accesses(given, where, "accumulate");
  prices.put_pieces =
      read_grid(given, where, "put_pieces", "piece_bytes", "bytes", "s_per_byte", 1.0, 1.0);
  for (const auto& [name, price] : calls) {
    price->soon_s = number(given, where, (name + "_s").c_str(), 0);
    price->apart_s = number(given, where, (name + "_apart_s").c_str(), price->soon_s);
  }
  if (given.contains("fence_late_s"))
    prices.fence_late_s = number(given, where, "fence_late_s", NAN);
  return prices;
}

// Sweeps ascend with their memory; each was measured after every waiting but where time ran out.
Refilling read_refilling(const json& level, const std::string& where) {
  if (!level.contains("refilling")) return {};
  const std::string place = where + ".refilling";
  const json& entries = level["refilling"];
  require(entries.is_array() && !entries.empty(), fmt::format("{} is empty", place));
  std::map<double, double> seconds_of;
  std::vector<Grid::Point> longer;
  for (const json& one : entries) {
    require_keys(one, place, {"waited_s", "memory_bytes", "sweep_s", "value_s"});
    const double memory_bytes = number(one, place, "memory_bytes", NAN, 1.0);
    seconds_of.emplace(memory_bytes, number(one, place, "sweep_s", NAN, 1e-9));
    longer.push_back({number(one, place, "waited_s", NAN, 1e-9), memory_bytes,
                      number(one, place, "value_s", NAN)});
  }
  std::vector<Refilling::Sweep> sweeps;
  for (const auto& [memory_bytes, seconds] : seconds_of) {
    require(sweeps.empty() || seconds > sweeps.back().seconds,
            fmt::format("{}: going over {} B takes {} s, and over less as long", place,
                        memory_bytes, seconds),
            "'sweep_s' grows with 'memory_bytes'");
    sweeps.push_back({memory_bytes, seconds});
  }
  return Refilling(std::move(sweeps), Grid(std::move(longer)));
}

Grid read_receiving(const json& level, const std::string& where) {
  std::vector<Grid::Point> points;
  for (const AtSize& one : read_points(level, where, "receiving", 0.0))
    points.push_back({1.0, static_cast<double>(one.bytes), one.value_s});
  return Grid(std::move(points));
}

AfterWork read_after_work(const json& level, const std::string& where) {
  if (!level.contains("after_work")) return {};
  const std::string place = where + ".after_work";
  require(level["after_work"].is_array() && !level["after_work"].empty(),
          fmt::format("{} is empty", place));
  std::map<double, std::vector<Grid::Point>> by_memory;
  for (const json& one : level["after_work"]) {
    require_keys(one, place, {"work_s", "bytes", "memory_bytes", "value_s"});
    by_memory[number(one, place, "memory_bytes", 1.0, 1.0)].push_back(
        {number(one, place, "work_s", NAN, 1e-9), number(one, place, "bytes", NAN, 0.0),
         number(one, place, "value_s", NAN)});
  }
  std::vector<AfterWork::Measured> measured;
  for (auto& [memory_bytes, points] : by_memory)
    measured.push_back({memory_bytes, Grid(std::move(points))});
  return AfterWork(std::move(measured),
                   read_grid(level, where, "after_cold", "cold_s", "bytes", "value_s", 1e-12, 0.0));
}

// What a level says by size, of each class.
struct BySize {
  const char* key;
  double SizeClass::*to;
  double absent = 0.0, least = 0.0;
  const char* value_key = "value_s";
};
constexpr BySize by_size[] = {
    {"send_overhead", &SizeClass::send_overhead_s},
    {"receive_overhead", &SizeClass::receive_overhead_s},
    {"gap", &SizeClass::gap_s, 0.0, -INFINITY},  // below zero G holds more than it
    {"gap_per_byte", &SizeClass::gap_per_byte_s},
    {"crossing", &SizeClass::crossing_s},
    {"progress", &SizeClass::progress, 1.0, 0.0, "value"},
    {"release", &SizeClass::release_s, -INFINITY, -INFINITY},
    {"crowding", &SizeClass::crowding_s},
    {"answering", &SizeClass::answering_s, 0.0, -INFINITY},
    {"persistent", &SizeClass::persistent_s, 0.0, -INFINITY},
    {"crossing_turn", &SizeClass::crossing_turn_s},
    {"posting", &SizeClass::posting_s},
    {"posting_apart", &SizeClass::posting_apart_s},
};

// Classes that change nothing within them.
std::vector<SizeClass> read_classes(const json& level, const std::string& where) {
  std::vector<std::vector<Piece>> pieces;
  std::vector<std::uint64_t> limits;
  for (const BySize& one : by_size) {
    pieces.push_back(read_pieces(level, where, one.key, one.value_key, one.absent, one.least));
    for (const Piece& piece : pieces.back()) limits.push_back(piece.maximum_bytes);
  }
  const std::vector<AtSize> later = read_points(level, where, "later", -INFINITY);
  for (const AtSize& one : later) limits.push_back(one.bytes);
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  std::vector<SizeClass> classes;
  for (const std::uint64_t limit : limits) {
    SizeClass& one = classes.emplace_back();
    one.maximum_bytes = limit;
    for (std::size_t i = 0; i < pieces.size(); ++i) one.*by_size[i].to = value_at(pieces[i], limit);
    require(one.progress <= 1.0, fmt::format("{}: 'progress' is {}", where, one.progress),
            "it is a share of the speed, 0 to 1");
    one.offset_s = std::min(one.gap_s, 0.0);
    one.gap_s = std::max(one.gap_s, 0.0);
    if (!level.contains("posting_apart")) one.posting_apart_s = one.posting_s;
    set_later(later, one);
  }
  return classes;
}

}  // namespace

Level read_level(const json& level, const std::string& where) {
  std::vector<std::string> known{"latency_s",
                                 "eager_limit_bytes",
                                 "attended_above_bytes",
                                 "crowded_within_s",
                                 "later",
                                 "one_sided",
                                 "packing",
                                 "after_work",
                                 "after_cold",
                                 "first_uses",
                                 "sending",
                                 "receiving",
                                 "refilling"};
  for (const BySize& one : by_size) known.emplace_back(one.key);
  require_keys(level, where, known);
  Level result;
  result.latency_s = number(level, where, "latency_s", NAN);
  if (level.contains("eager_limit_bytes") && !level["eager_limit_bytes"].is_null())
    result.eager_limit_bytes =
        static_cast<std::uint64_t>(count(level, where, "eager_limit_bytes", 0));
  if (level.contains("attended_above_bytes"))
    result.attended_above_bytes =
        static_cast<std::uint64_t>(count(level, where, "attended_above_bytes", 0));
  result.crowded_within_s = number(level, where, "crowded_within_s", 0);
  result.classes = read_classes(level, where);
  result.packing =
      read_grid(level, where, "packing", "piece_bytes", "bytes", "s_per_byte", 1.0, 1.0);
  result.after_work = read_after_work(level, where);
  result.sending = read_grid(level, where, "sending", "work_s", "bytes", "value_s", 1e-9, 0.0);
  result.receiving = read_receiving(level, where);
  result.refilling = read_refilling(level, where);
  result.first_uses = read_grid(level, where, "first_uses", "bytes", "use", "value", 1.0, 1.0);
  if (level.contains("one_sided")) {
    const std::string place = where + ".one_sided";
    require_keys(level["one_sided"], place, {"allocated", "created"});
    for (const auto& [kind, prices] : level["one_sided"].items())
      (kind == "created" ? result.created : result.allocated) =
          read_one_sided(prices, place + "." + kind);
  }
  return result;
}

Level read_level_or_next(const json& network, const std::string& name) {
  static const std::array<std::string, 4> order = {"core", "socket", "node", "switch"};
  require(network.contains("levels") && network["levels"].is_object() && !network["levels"].empty(),
          "the network has no levels", "message costs are facts of a level",
          "give \"levels\": {\"switch\": {\"latency_s\": ...}}");
  const json& levels = network["levels"];
  require_keys(levels, "levels", {"self", "core", "socket", "node", "switch"});
  const auto wanted = std::find(order.begin(), order.end(), name);
  for (auto one = wanted; one != order.end(); ++one)
    if (levels.contains(*one)) return read_level(levels[*one], "levels." + *one);
  for (auto one = wanted; one != order.begin();)
    if (levels.contains(*--one)) return read_level(levels[*one], "levels." + *one);
  throw base::UserError(base::ExitCode::usage, "the network has no level");
}

Level read_self_level(const json& network) {
  const Level nearest = read_level_or_next(network, "core");
  Level self;
  const json& levels = network["levels"];
  if (levels.contains("self")) {
    json given = levels["self"];
    require_keys(
        given, "levels.self",
        {"latency_s", "send_overhead", "receive_overhead", "gap_per_byte", "eager_limit_bytes"});
    if (!given.contains("latency_s")) given["latency_s"] = 0.0;
    self = read_level(given, "levels.self");
    for (SizeClass& one : self.classes)
      one.copy_per_byte_s = std::exchange(one.gap_per_byte_s, 0.0);
  }
  if (self.eager_limit_bytes == UINT64_MAX) self.eager_limit_bytes = nearest.eager_limit_bytes;
  return self;
}

LinkRate read_link(const json& link, const std::string& where) {
  require_keys(link, where, {"gap_s", "gap_per_byte_s", "rate_bytes_per_s"});
  LinkRate result;
  result.gap_s = number(link, where, "gap_s", 0);
  result.gap_per_byte_s = number(link, where, "gap_per_byte_s", 0);
  if (link.contains("rate_bytes_per_s")) {
    require(!link.contains("gap_per_byte_s"),
            fmt::format("{} has a rate and a gap per byte", where), "one says the other");
    const double rate = number(link, where, "rate_bytes_per_s", NAN);
    require(rate > 0, fmt::format("{}: rate_bytes_per_s is 0", where));
    result.gap_per_byte_s = 1.0 / rate;
  }
  return result;
}

}  // namespace hakaru::replay
