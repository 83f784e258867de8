#include "probes/messages/placement.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>

#include "native/base/system.hpp"

namespace hakaru::probes::messages {
namespace {

int number_in(const std::string& path) {
  std::ifstream file(path);
  int value = -1;
  return file >> value ? value : -1;
}

bool may_use_one_processor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1;
}

int width(const std::string& level) { return level == "core" ? 0 : level == "socket" ? 1 : 2; }

}  // namespace

Placement observe_placement(const std::string& sysfs_processors) {
  Placement placement;
  placement.host = base::host_name();
  placement.processor = ::sched_getcpu();
  placement.pinned = may_use_one_processor();
  const std::string folder = sysfs_processors + "/cpu" + std::to_string(placement.processor);
  placement.package = number_in(folder + "/topology/physical_package_id");
  placement.core = number_in(folder + "/topology/core_id");
  for (int index = 0;; ++index) {
    const std::string cache = folder + "/cache/index" + std::to_string(index);
    const std::string level = base::first_line(cache + "/level");
    if (level.empty()) break;
    if (base::first_line(cache + "/type") == "Instruction") continue;
    placement.caches.push_back(level + ":" + base::first_line(cache + "/shared_cpu_list"));
  }
  return placement;
}

base::json to_json(const Placement& p) {
  return {{"host", p.host}, {"processor", p.processor}, {"package", p.package},
          {"core", p.core}, {"pinned", p.pinned},       {"caches", p.caches}};
}

Placement placement_from_json(const base::json& json) {
  return {json.at("host"), json.at("processor"), json.at("package"),
          json.at("core"), json.at("pinned"),    json.at("caches")};
}

std::vector<Placement> gather_placements(const parallel::Communicator& world) {
  base::json all = base::json::array();
  for (const auto& text : world.gather_text(to_json(observe_placement()).dump(), 0))
    all.push_back(base::json::parse(text));
  const std::string dumped = all.dump();
  std::vector<int> length{static_cast<int>(dumped.size())};
  world.broadcast(length, 0);
  std::vector<char> text(dumped.begin(), dumped.end());
  text.resize(length[0]);
  world.broadcast(text, 0);
  std::vector<Placement> placements;
  for (const auto& json : base::json::parse(text.begin(), text.end()))
    placements.push_back(placement_from_json(json));
  return placements;
}

std::string level_between(const Placement& a, const Placement& b, const std::string& across_hosts) {
  if (a.host != b.host) return across_hosts;
  return a.package == b.package ? "core" : "socket";
}

int shared_cache_level(const Placement& a, const Placement& b) {
  int lowest = 0;
  if (a.host != b.host) return lowest;
  for (const auto& cache : a.caches) {
    if (std::find(b.caches.begin(), b.caches.end(), cache) == b.caches.end()) continue;
    const int level = std::stoi(cache);
    lowest = lowest == 0 ? level : std::min(lowest, level);
  }
  return lowest;
}

std::vector<Pair> choose_pairs(const std::vector<Placement>& placements,
                               const std::string& across_hosts) {
  std::vector<Pair> pairs;
  for (std::size_t rank = 1; rank < placements.size(); ++rank) {
    const std::string level = level_between(placements[0], placements[rank], across_hosts);
    const bool known = std::any_of(pairs.begin(), pairs.end(),
                                   [&](const Pair& pair) { return pair.level == level; });
    if (!known) pairs.push_back({level, 0, static_cast<int>(rank)});
  }
  return pairs;
}

std::string widest_level(const std::vector<Placement>& placements, int ranks,
                         const std::string& across_hosts) {
  std::string widest = "core";
  for (int rank = 1; rank < ranks; ++rank) {
    const std::string level = level_between(placements[0], placements[rank], across_hosts);
    if (width(level) > width(widest)) widest = level;
  }
  return widest;
}

}  // namespace hakaru::probes::messages
