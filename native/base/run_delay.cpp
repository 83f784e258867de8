#include "native/base/run_delay.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

namespace hakaru::base {
namespace {

double waited_s(const std::string& file) {
  unsigned long long ran_ns = 0;
  unsigned long long waited_ns = 0;
  std::FILE* schedstat = std::fopen(file.c_str(), "r");
  if (!schedstat) return 0.0;
  const int found = std::fscanf(schedstat, "%llu %llu", &ran_ns, &waited_ns);
  std::fclose(schedstat);
  return found == 2 ? 1e-9 * static_cast<double>(waited_ns) : 0.0;
}

std::map<std::string, double> waited_by_thread(const std::string& tasks) {
  std::map<std::string, double> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(tasks.c_str()), &::closedir);
  if (!folder) return found;
  while (const dirent* entry = ::readdir(folder.get()))
    if (entry->d_name[0] != '.')
      found[entry->d_name] = waited_s(tasks + "/" + entry->d_name + "/schedstat");
  return found;
}

}  // namespace

RunDelay::RunDelay(std::string tasks)
    : tasks_(std::move(tasks)), before_(waited_by_thread(tasks_)) {}

RunDelay::Waited RunDelay::waited() const {
  Waited found;
  for (const auto& [thread, now_s] : waited_by_thread(tasks_)) {
    const auto before = before_.find(thread);
    const double own_s = std::max(now_s - (before == before_.end() ? 0.0 : before->second), 0.0);
    found.longest_s = std::max(found.longest_s, own_s);
    found.all_s += own_s;
  }
  return found;
}

}  // namespace hakaru::base
