// The samples of one process, as the watcher wrote them (native/trace/watched.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "native/trace/watched.h"

namespace hakaru::trace::profile {

// What lay at addresses [begin, end); `bias`: address = bias + address in the file.
struct Module {
  std::uint64_t begin, end, bias;
  std::uint64_t bytes, time_ns;  // of the file when it was met; 0: not known
  std::string build_id;          // hexadecimal; empty: it has none
  std::string path;
};

// An address where it was met: the index of the module in Process::modules, or none.
struct Place {
  static constexpr int none = -1;
  int module;
  std::uint64_t address;
  auto operator<=>(const Place&) const = default;
};

struct Chain {
  std::vector<Place> callers;  // the nearest first
  std::uint32_t flags;         // HAKARU_CHAIN_*
};

// Samples that agree in all of it.
struct Stack {
  std::uint32_t thread, phase, chain;
  Place place;
  auto operator<=>(const Stack&) const = default;
};

struct Counts {
  std::uint64_t samples = 0;
  std::uint64_t periods = 0;  // a sample stands for several where the kernel came late
};

struct Process {
  std::string file;  // name of the raw file
  hakaru_watch_header header;
  int rank, world_size;
  std::uint64_t world_id;
  std::vector<Module> modules;
  std::map<std::uint32_t, std::string> threads, phases;
  std::map<std::uint32_t, Chain> chains;
  std::map<Stack, Counts> stacks;
  std::uint64_t first_ns = 0, last_ns = 0;  // of its samples
  bool ended = false, aside = false;
  hakaru_watch_end end{};
  std::string damage;  // what is wrong with the file; what stood before it is kept
};

// Throws UserError(environment) when the file's header is not one.
Process read_samples(const std::filesystem::path& path);

}  // namespace hakaru::trace::profile
