// What all ranks' raw files say together: clocks, and definitions with numbers that hold for all
// ranks.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "native/trace/convert/raw_file.hpp"

namespace hakaru::trace {

// Nanoseconds of rank 0's clock.
class Clock {
 public:
  std::uint64_t at(std::uint64_t ticks) const {
    const double elapsed = ticks >= start_ticks ? static_cast<double>(ticks - start_ticks)
                                                : -static_cast<double>(start_ticks - ticks);
    const double local_ns = elapsed * ns_per_tick;
    const double offset = offset_ns + drift * local_ns;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(start_ns) +
                                      static_cast<std::int64_t>(local_ns + offset));
  }

  std::uint64_t start_ticks = 0, start_ns = 0;
  double ns_per_tick = 1;
  double offset_ns = 0;  // at start_ns
  double drift = 0;      // of the offset, per ns
};

struct WorldCommunicator {
  std::string name;
  std::uint32_t kind = HAKARU_COMMUNICATOR_INTRA;
  std::vector<std::int32_t> members,
      remote;  // world ranks; of inter-communicators: group A and group B
  // Rank -> rank of the archive, as the members' own files tell; of inter-communicators that join
  // worlds: by side.
  std::map<std::int32_t, std::int32_t> known, known_remote;
  std::int32_t size = 0, remote_size = 0;
  std::uint32_t parent = OTF2_UNDEFINED_COMM;
};

struct WorldFile {
  std::string name;
  std::uint32_t communicator = 0;
  std::uint32_t mode = 0;
};

// Numbers of one file's definitions in the archive.
struct RankNumbers {
  std::vector<std::uint32_t> regions;  // by call
  std::unordered_map<std::uint32_t, std::string> strings;
  std::unordered_map<std::uint32_t, std::uint32_t> communicators;  // by local id
  std::unordered_map<std::uint32_t, std::uint32_t> windows, files;
  struct Neighbours {
    std::vector<std::int32_t> sources, destinations;
    std::int32_t size = 0, own_rank = 0;
    bool inter = false, grid = false;
  };
  std::unordered_map<std::uint32_t, Neighbours> topologies;  // by local id
  std::int32_t threads = 1;
  std::int32_t rank = 0;  // of the archive
};

// The ranks of one MPI_COMM_WORLD are consecutive in the archive.
struct WorldPart {
  std::int32_t first = 0, ranks = 0;
  std::uint32_t communicator = 0;
};

struct World {
  std::int32_t ranks = 0;                    // of all worlds
  std::map<std::uint64_t, WorldPart> parts;  // by the header's world_id
  std::vector<std::string> paths;            // by rank
  std::vector<std::string> region_names;
  std::vector<hakaru_raw_call> regions;
  std::map<std::string, std::uint32_t> region_of_name;
  std::vector<WorldCommunicator> communicators;
  std::map<std::uint64_t, std::uint32_t> communicator_of_global;
  struct Window {
    std::uint32_t communicator, kind;  // kind: as in hakaru_raw_window
  };
  std::vector<Window> windows;
  std::map<std::uint64_t, std::uint32_t> window_of_global;
  std::vector<WorldFile> files;
  std::map<std::uint64_t, std::uint32_t> file_of_global;
  std::vector<Clock> clocks;
  std::vector<std::string> hosts;
  std::string program, mpi_library;
  std::uint64_t start_ns = 0, realtime_ns = 0;
  std::string oversubscribed;  // in words, when ranks took turns on processors
  std::vector<std::string> warnings;
};

// Reads all headers and meta records below the folder: the world that the launcher started, then
// the spawned ones that are whole, in the order in which they started. Throws base::UserError when
// ranks are missing or contradict each other.
World read_world(const std::string& folder);

// Numbers of one rank; reads its meta records again, so that not all have to be kept.
RankNumbers numbers_of(const World& world, const RawFile& file);

}  // namespace hakaru::trace
