// The lines of LMbench's summary: what each is called and how it is measured.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "probes/operating_system/sampling.hpp"

namespace hakaru::probes::operating_system {

// An item that this machine does not allow, with the reason; the others go on.
class Unavailable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// With what the kernel says of the last failed call.
[[noreturn]] void unavailable(const std::string& what);

// Outcomes of operations held against what they must be.
class Truth {
 public:
  explicit Truth(bool damaged = false) : damaged_(damaged) {}
  void equal(const std::string& what, double found, double expected);
  std::int64_t checked() const { return checked_; }
  std::int64_t wrong() const { return wrong_; }
  const std::string& first_wrong() const { return first_wrong_; }

 private:
  bool damaged_;
  std::int64_t checked_ = 0, wrong_ = 0;
  std::string first_wrong_;
};

enum class Placement { free, one_core, two_cores };

struct Conditions {
  Sampling sampling;
  Placement placement = Placement::free;
  std::string folder;             // for files, exists
  std::string spawner;            // the small program that forks
  std::int64_t file_bytes = 0;    // of the file that is read again
  std::int64_t memory_bytes = 0;  // of the memory that is read, written and copied
  std::int64_t stream_bytes = 0;  // through a pipe or a socket, for one operation
};

struct Item {
  std::string group;   // a table of the summary
  std::string name;    // as the summary prints it
  std::int64_t bytes;  // that an operation moves; 0: its time is the figure
  std::function<std::vector<double>(const Conditions&, Truth&)> measure;  // seconds of an operation
};

using Items = std::vector<Item>;

// The items of each file, in the summary's order.
void add_calls(Items& items);
void add_spawning(Items& items);
void add_arithmetic(Items& items);
void add_switching(Items& items);
void add_local_latency(Items& items);
void add_remote_calls(Items& items);
void add_files(Items& items);
void add_faults(Items& items);
void add_bandwidth(Items& items, const Conditions& conditions);
void add_memory(Items& items, const Conditions& conditions);

// All of them, in the order of LMbench's summary.
Items all_items(const Conditions& conditions);

// Those that `wanted` names by group or by name, separated by commas; all when it is empty. Throws
// UserError(usage) for a name that is none.
Items chosen(const Items& items, const std::string& wanted);

}  // namespace hakaru::probes::operating_system
