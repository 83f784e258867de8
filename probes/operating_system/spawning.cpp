// Starting processes: fork and exit, fork and execve, fork and /bin/sh -c; LMbench's lat_proc.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "probes/operating_system/items.hpp"
#include "probes/operating_system/system_handles.hpp"

namespace hakaru::probes::operating_system {
namespace {

std::vector<double> starts(const Conditions& conditions, Truth& truth, const char* kind) {
  const std::string& spawner = conditions.spawner;
  if (::access(spawner.c_str(), X_OK) != 0)
    unavailable(fmt::format("the program {} cannot be run", spawner));
  const Placed here(conditions.placement, 0);
  const std::string line = fmt::format("'{}' {} {} {}", spawner, kind, conditions.sampling.samples,
                                       conditions.sampling.least_s);
  const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(line.c_str(), "r"), ::pclose);
  if (!output) unavailable("a process cannot be started");
  std::vector<double> found;
  for (double seconds = 0.0; std::fscanf(output.get(), "%lf", &seconds) == 1;)
    found.push_back(seconds);
  if (found.empty()) throw Unavailable("no process could be started, or none ended as it must");
  truth.equal(fmt::format("samples of {}", kind), static_cast<double>(found.size()),
              conditions.sampling.samples);
  return found;
}

}  // namespace

void add_spawning(Items& items) {
  for (const auto& [name, kind] :
       {std::pair{"fork proc", "fork"}, {"exec proc", "exec"}, {"sh proc", "shell"}})
    items.push_back(
        {"processes", name, 0, [kind = kind](const Conditions& conditions, Truth& truth) {
           return starts(conditions, truth, kind);
         }});
}

}  // namespace hakaru::probes::operating_system
