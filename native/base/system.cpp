#include "native/base/system.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "native/base/build_info.hpp"

extern char** environ;

namespace hakaru::base {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

namespace {

// Value after "key<separators>:" in a /proc style file.
std::string value_of(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

// "32768K" -> bytes.
std::int64_t parse_bytes(const std::string& text) {
  std::istringstream stream(text);
  std::int64_t value = 0;
  char suffix = ' ';
  stream >> value >> suffix;
  return value * (suffix == 'K' ? 1024 : suffix == 'M' ? 1024 * 1024 : 1);
}

// "0-1,4" -> 3.
int count_processors(const std::string& list) {
  std::istringstream stream(list);
  int count = 0;
  for (std::string part; std::getline(stream, part, ',');) {
    const auto dash = part.find('-');
    const int first = std::atoi(part.c_str());
    count += dash == std::string::npos ? 1 : std::atoi(part.c_str() + dash + 1) - first + 1;
  }
  return count;
}

bool variable_matters(const std::string& name) {
  static const std::vector<std::string> prefixes{
      "OMP_",  "GOMP_", "KMP_",      "OMPI_MCA_", "PRTE_MCA_", "MPICH_",  "MPIR_CVAR_", "UCX_",
      "BLIS_", "FFTW_", "OPENBLAS_", "SLURM_",    "HAKARU_",   "MALLOC_", "LD_PRELOAD", "I_MPI_"};
  // What the launcher itself passes to its ranks says nothing about the user's choices.
  static const std::vector<std::string> internal{"OMPI_MCA_orte_",         "OMPI_MCA_ess",
                                                 "OMPI_MCA_pmix",          "OMPI_MCA_initial_wdir",
                                                 "OMPI_MCA_shmem_RUNTIME", "PMIX_MCA_"};
  auto starts = [&](const std::string& prefix) { return name.rfind(prefix, 0) == 0; };
  if (std::any_of(internal.begin(), internal.end(), starts)) return false;
  return std::any_of(prefixes.begin(), prefixes.end(), starts);
}

json matching_variables() {
  json out = json::object();
  for (char** entry = environ; *entry; ++entry) {
    const std::string text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string::npos && variable_matters(text.substr(0, equals)))
      out[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return out;
}

double cgroup_memory_left() {
  const std::string limit = first_line("/sys/fs/cgroup/memory.max");
  if (limit.empty() || limit == "max") return -1.0;
  return std::atof(limit.c_str()) - std::atof(first_line("/sys/fs/cgroup/memory.current").c_str());
}

}  // namespace

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::vector<CacheLevel> caches() {
  std::vector<CacheLevel> levels;
  for (int index = 0; index < 16; ++index) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
    const std::string type = first_line(folder + "/type");
    if (type.empty()) break;
    if (type == "Instruction") continue;
    levels.push_back({std::atoi(first_line(folder + "/level").c_str()), type,
                      parse_bytes(first_line(folder + "/size")),
                      count_processors(first_line(folder + "/shared_cpu_list"))});
  }
  std::sort(levels.begin(), levels.end(),
            [](const CacheLevel& a, const CacheLevel& b) { return a.level < b.level; });
  return levels;
}

std::int64_t own_cache_bytes() {
  constexpr std::int64_t usual = std::int64_t{1} << 20;
  constexpr const char* siblings = "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list";
  static const std::int64_t found = [] {
    const int threads = std::max(count_processors(first_line(siblings)), 1);
    std::int64_t bytes = 0;
    for (const CacheLevel& cache : caches())
      if (cache.level <= 2 && cache.shared_by <= threads) bytes = std::max(bytes, cache.bytes);
    return bytes > 0 ? bytes : usual;
  }();
  return found;
}

namespace {
bool caches_are_full = false;
}

void take_caches_for_full() { caches_are_full = true; }

std::int64_t last_level_cache_bytes() {
  if (caches_are_full) return 1;
  const auto levels = caches();
  if (levels.empty()) return 0;
  const auto& last = levels.back();
  const int instances = (online_processors() + last.shared_by - 1) / std::max(last.shared_by, 1);
  return last.bytes * std::max(instances, 1);
}

int online_processors() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

double host_share(std::int64_t workers) {
  return std::min(1.0, online_processors() / static_cast<double>(workers));
}

int online_cores(const std::string& folder) {
  std::set<std::string> cores;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator(folder, unreadable)) {
    const std::string siblings = first_line(entry.path() / "topology/thread_siblings_list");
    if (!siblings.empty()) cores.insert(siblings);
  }
  return cores.empty() ? online_processors() : static_cast<int>(cores.size());
}

double available_memory_bytes() {
  const double available = std::atof(value_of("/proc/meminfo", "MemAvailable").c_str()) * 1024.0;
  const double cgroup = cgroup_memory_left();
  return cgroup >= 0.0 ? std::min(available, cgroup) : available;
}

double steal_seconds() {
  std::istringstream line(first_line("/proc/stat"));
  std::string label;
  line >> label;
  double field = 0.0;
  for (int i = 0; i < 8; ++i) line >> field;  // user nice system idle iowait irq softirq steal
  return field / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double load_average() { return std::atof(first_line("/proc/loadavg").c_str()); }

json environment() {
  utsname kernel{};
  ::uname(&kernel);
  json cache_list = json::array();
  for (const auto& cache : caches())
    cache_list.push_back({{"level", cache.level},
                          {"type", cache.type},
                          {"bytes", cache.bytes},
                          {"shared_by", cache.shared_by}});
  std::string model = value_of("/proc/cpuinfo", "model name");
  if (model.empty()) model = kernel.machine;
  return {{"host", host_name()},
          {"kernel", std::string(kernel.sysname) + " " + kernel.release},
          {"cpu_model", model},
          {"cpus_online", online_processors()},
          {"cores_online", online_cores()},
          {"memory_bytes", std::atof(value_of("/proc/meminfo", "MemTotal").c_str()) * 1024.0},
          {"caches", cache_list},
          {"compiler", build_compiler},
          {"compiler_flags", build_flags},
          {"variables", matching_variables()}};
}

}  // namespace hakaru::base
