#include "native/trace/profile/output.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "native/trace/profile/symbols.hpp"

namespace hakaru::trace::profile {
namespace {

using nlohmann::json;

constexpr const char* states[] = {"named", "missing", "changed", "unreadable"};

// Modules and frames of all processes, each once.
class Table {
 public:
  // Frames of a place, the innermost first; those of the watcher itself are left out of chains.
  void add(const Process& process, const Place& place, bool caller, std::vector<std::size_t>& to) {
    if (place.module == Place::none) {
      to.push_back(frame({}, Place::none, place.address));
      return;
    }
    const Module& module = process.modules[static_cast<std::size_t>(place.module)];
    const auto number = static_cast<int>(module_number(module));
    if (caller && watcher_[static_cast<std::size_t>(number)]) return;
    const std::uint64_t address = place.address - module.bias;
    auto& known = known_[{number, address}];
    if (known.empty())
      for (const Frame& one : symbols_[static_cast<std::size_t>(number)].at(address))
        known.push_back(frame(one, number, address));
    to.insert(to.end(), known.begin(), known.end());
  }

  json modules() const { return modules_; }
  json frames() const { return frames_; }

 private:
  std::size_t module_number(const Module& module) {
    const auto [at, added] = numbers_.try_emplace(
        {module.path, module.build_id, module.bytes, module.time_ns}, symbols_.size());
    if (!added) return at->second;
    symbols_.emplace_back(module);
    const std::string name = module.path.substr(module.path.rfind('/') + 1);
    watcher_.push_back(name == "libhakaru_trace.so" || name == "libhakaru_watch.so");
    modules_.push_back({{"path", module.path},
                        {"build_id", module.build_id},
                        {"state", states[static_cast<int>(symbols_.back().found())]}});
    return at->second;
  }

  // Code without a name is told apart by its address.
  std::size_t frame(const Frame& one, int module, std::uint64_t address) {
    const std::uint64_t where = one.routine.empty() || one.line == 0 ? address : 0;
    const auto [at, added] = frame_numbers_.try_emplace({one, module, where}, frames_.size());
    if (added)
      frames_.push_back({{"routine", one.routine},
                         {"source", one.source},
                         {"line", one.line},
                         {"inlined", one.inlined},
                         {"module", module},
                         {"address", fmt::format("{:#x}", address)}});
    return at->second;
  }

  std::map<std::tuple<std::string, std::string, std::uint64_t, std::uint64_t>, std::size_t>
      numbers_;
  std::vector<Symbols> symbols_;
  std::vector<bool> watcher_;
  std::map<std::pair<int, std::uint64_t>, std::vector<std::size_t>> known_;
  std::map<std::tuple<Frame, int, std::uint64_t>, std::size_t> frame_numbers_;
  json modules_ = json::array(), frames_ = json::array();
};

json stacks_of(const Process& process, Table& table) {
  // Chains that differ in addresses only, not in routines and lines, are one stack.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::vector<std::size_t>>,
           Counts>
      sums;
  std::map<std::uint32_t, std::vector<std::size_t>> callers;
  for (const auto& [stack, counts] : process.stacks) {
    const Chain& chain = process.chains.at(stack.chain);
    auto& above = callers[stack.chain];
    if (above.empty())
      for (const Place& place : chain.callers) table.add(process, place, true, above);
    std::vector<std::size_t> frames;
    table.add(process, stack.place, false, frames);
    frames.insert(frames.end(), above.begin(), above.end());
    Counts& sum = sums[{stack.thread, stack.phase, chain.flags, frames}];
    sum.samples += counts.samples;
    sum.periods += counts.periods;
  }
  json found = json::array();
  for (const auto& [key, counts] : sums) {
    const auto& [thread, phase, flags, frames] = key;
    const char* walked = flags & HAKARU_CHAIN_NONE  ? "none"
                         : flags & HAKARU_CHAIN_CUT ? "cut"
                                                    : "whole";
    found.push_back({{"thread", thread},
                     {"phase", phase ? process.phases.at(phase) : ""},
                     {"walked", walked},
                     {"frames", frames},
                     {"samples", counts.samples},
                     {"periods", counts.periods}});
  }
  return found;
}

json as_object(const Process& process, Table& table) {
  json threads = json::array();
  for (const auto& [number, name] : process.threads)
    threads.push_back({{"number", number}, {"name", name}});
  return {{"file", process.file},
          {"host", process.header.host},
          {"process_id", process.header.process_id},
          {"program", process.header.program},
          {"rank", process.rank},
          {"world_size", process.world_size},
          {"world_id", fmt::format("{:x}", process.world_id)},
          {"period_s", static_cast<double>(process.header.period_ns) * 1e-9},
          {"ended", process.ended},
          {"stepped_aside", process.aside},
          {"damage", process.damage},
          {"cpu_s", static_cast<double>(process.end.cpu_ns) * 1e-9},
          {"lost", process.end.lost},
          {"lost_reason", process.end.reason},
          {"threads", threads},
          {"stacks", stacks_of(process, table)}};
}

}  // namespace

std::string as_json(const std::vector<Process>& processes,
                    const std::vector<std::string>& refused) {
  Table table;
  json all = json::array();
  for (const Process& process : processes) all.push_back(as_object(process, table));
  const json document{{"processes", all},
                      {"modules", table.modules()},
                      {"frames", table.frames()},
                      {"refused", refused}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace hakaru::trace::profile
