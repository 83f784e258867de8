// What a replay is asked to do, beside the schedule and the network.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "native/replay/engine/put_get.hpp"
#include "native/replay/networks/reading.hpp"

namespace hakaru::replay {

enum class EngineChoice { automatic, run_until_blocked, time_ordered };

// How flows share a link in the time-ordered engine.
enum class Sharing { first_come, max_min, none };

// Who moves messages while ranks compute: the level's own shares, the NICs, or (for rendezvous) the
// ranks, only while they are in calls of MPI.
enum class Progress { by_level, hardware, in_calls };

// Added to compute operations. Drawn from a counter-based generator: the same seed gives the same
// noise in any order of execution.
struct Noise {
  enum class Kind { none, periodic, exponential, gaussian, empirical, detours };
  // Detours of one length that come independently of each other.
  struct Detours {
    double rate_per_s = 0;  // of the computing that they interrupt
    double detour_s = 0;
  };
  Kind kind = Kind::none;
  double period_s = 0;  // periodic: a detour of detour_s every period_s
  double detour_s = 0;
  bool together = false;  // at one phase of all ranks, else at one of each rank's own
  double mean_s = 0;      // exponential: mean of what each operation gains
  double relative_deviation =
      0;  // gaussian: each operation takes 1 + deviation N(0, 1) of its time, at least 0
  std::vector<double> samples_s;  // empirical: each operation gains one of these
  // detours: an operation that computes for t is interrupted by a Poisson number of mean rate t of
  // each class
  std::vector<Detours> detours;
  // Detours strike calls of MPI as they strike computing, and hold a rank whose wait they outlast.
  bool calls = false;
  std::uint64_t seed = 20261121;
};

// Time of work counts: max(flops / flop_rate, bytes / memory_bandwidth).
struct Roofline {
  double flops_per_s = 0;
  double bytes_per_s = 0;
  bool write_allocate = false;  // use the count with the read of every written line
};

struct FileSystem {
  double operation_s = 0;        // of an open, a close, and of each read or write
  double rank_bytes_per_s = 0;   // 0: no limit
  double total_bytes_per_s = 0;  // shared by the ranks of the communicator; 0: no limit
};

// One line of a measured table: a collective on that many ranks with that many bytes.
struct TableEntry {
  double ranks = 0;
  double bytes = 0;
  double seconds = 0;
};

struct CollectivePrice {
  std::string algorithm;  // empty: decided by size and number of ranks
  std::vector<TableEntry>
      table;  // not empty: all ranks of the communicator wait for each other and pay that
  std::vector<TableEntry> grid_table;  // of a neighbour_exchange on a grid; empty: `table` is
  // Algorithm "hardware": the same with, of P ranks and s bytes,
  //   CPU time hardware_s + ceil(log2 P) (stage_s + stage_s_per_byte s), after waiting for the
  //   network for s (ceil(log2 P) stage_wire_s_per_byte + wire_s_per_byte).
  double hardware_s = 0;
  double stage_s = 0, stage_s_per_byte = 0;
  double stage_wire_s_per_byte = 0, wire_s_per_byte = 0;
};

// What a machine adds to its network.
struct Costs {
  std::vector<Piece> reduction = std::vector<Piece>(1);  // of a byte, by the length of the vectors
  std::optional<FileSystem> file_system;
  std::optional<PutGet> put_get;  // absent: one-sided operations cost what messages do
  std::map<std::string, CollectivePrice> collectives;
  std::string decision = "openmpi";  // whose choice of algorithms: openmpi or mpich

  // Of combining two vectors of so many bytes.
  double reduction_s(std::uint64_t bytes) const {
    const Piece* one = reduction.data();
    while (one->maximum_bytes < bytes) ++one;
    return one->value * static_cast<double>(bytes);
  }
};

struct Options {
  double compute_factor = 1;
  double fork_s = 0;  // added to each compute operation that takes time: starting and ending a team
  std::map<std::string, double> phase_factor;  // multiplies compute_factor
  std::optional<Roofline> roofline;
  Noise noise;
  EngineChoice engine = EngineChoice::automatic;
  Sharing sharing = Sharing::first_come;
  Progress progress = Progress::by_level;
  // Contention-free engine: the receiver's NIC drains messages one after another, in the order in
  // which the rank completes its receives.
  bool receive_serialised = false;
  bool critical_path = false;
  // Of networks with put_get:
  bool strides = true;  // false: every item of a strided transfer is a message
  CommandQueue queue;
  RunTimeSystem run_time_system;
  bool free = false;  // computing and files take no time, whatever their price
};

Costs read_costs(const nlohmann::json& network);
// The options document; its "collectives" are merged into `costs`.
Options read_options(const nlohmann::json& options, Costs& costs);

}  // namespace hakaru::replay
