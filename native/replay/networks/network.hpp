// What a network model tells the engine: what a message between two ranks costs and, where links
// are shared, which ones it takes. A model is one folder networks/<model>/ with
//   std::unique_ptr<Network> hakaru::replay::networks::<model>::make(const nlohmann::json& network,
//   std::int32_t ranks);
// and nothing else needs to know it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hakaru::replay {

// LogGP parameters of messages up to maximum_bytes. Seconds and seconds per byte, real-valued.
struct SizeClass {
  std::uint64_t maximum_bytes = UINT64_MAX;
  double send_overhead_s = 0;
  double receive_overhead_s = 0;
  double gap_s = 0;           // g: between the last byte of a message and the first of the next
  double gap_per_byte_s = 0;  // G
  // Between hosts whose processors work for the network (docs/explanation/replay.md, "Disturbed
  // messages"):
  double crossing_s = 0;  // by which a message comes later that crosses one of its receiver's own
  double progress = 1;    // share of its speed that a message keeps while its receiver computes
  double copy_per_byte_s = 0;  // of the CPU: to oneself only, in place of all between two NICs
  // A message arrives so much later (earlier, when negative) than G (s - 1) + L says: what was
  // measured of single messages, where they are no LogGP.
  double later_s = 0, later_per_byte_s = 0;
  double offset_s = 0;  // a negative gap: where G holds of what exceeds a size only
  // By rendezvous, or attended, the sender is free so long after its receiver has taken the
  // message, where that was measured; else when its last byte has left, which is the least.
  double release_s = -std::numeric_limits<double>::infinity();
  double answering_s = 0;  // for a message that is sent right after a receive, see below
  // More than crossing_s, where the receiver's own was sent right after a receive.
  double crowding_s = 0;
  double persistent_s = 0;  // by which starting a send takes longer whose request was made before
  // From one message to the next, at least, of those that a processor moves itself and that cross
  // one of its own.
  double crossing_turn_s = 0;
  // Of the CPU, to post a receive that is waited for later, and the same after computing. What was
  // measured of exchanges and of windows has the former inside: crossing_s, and g + G (s - 1) of a
  // receiver.
  double posting_s = 0, posting_apart_s = 0;

  // G (s - 1): from the first byte to the last.
  double transmission_s(std::uint64_t bytes) const {
    if (bytes <= 1) return 0.0;
    return std::max(gap_per_byte_s * static_cast<double>(bytes - 1) + offset_s, 0.0);
  }
  // Of the CPU, so long after a receive: above zero it waits for the other rank to be done with
  // that message, which work between shortens; below zero it began before the receive had ended,
  // which `crowd` tells.
  double answering_after_s(double apart_s, double crowd) const {
    return answering_s > 0 ? std::max(answering_s - apart_s, 0.0) : crowd * answering_s;
  }
  double later(std::uint64_t bytes) const {
    return later_s + later_per_byte_s * static_cast<double>(bytes);
  }
};

// One put, get or accumulate of `bytes`, as measured.
struct AccessPrice {
  double bytes = 0;
  double call_s = 0;            // the origin's CPU
  double gap_s = 0;             // from one to the next, of many
  double done_s = 0;            // from the end of the call until it is complete at the target
  std::optional<double> new_s;  // by which the call takes longer to data that were just computed
  double flag_s = 0;            // and where it raises a flag
  double apart_s = 0;           // and crowded_within_s after the call before or more
  double seen_s = 0;            // from its end until a rank that waits for its flag goes on
};

// Of a call right after the one before, which a processor begins before that has ended, and
// crowded_within_s after it or more.
struct CallPrice {
  double soon_s = 0, apart_s = 0;
  // `soon`: Level::crowd.
  double at(double soon) const { return apart_s + soon * (soon_s - apart_s); }
};

// What was measured at pairs of two quantities; seconds, or seconds of a byte.
class Grid {
 public:
  struct Point {
    double first, second, value;
  };
  Grid() = default;
  // In any order; every first quantity has a point at least.
  explicit Grid(std::vector<Point> points);
  bool empty() const { return rows_.empty(); }
  // The smallest first quantity.
  double least() const { return rows_.front().front().first; }
  // Linear over the logarithms of both, constant beyond them. 0 without any point.
  double at(double first, double second) const;

 private:
  std::vector<std::vector<Point>> rows_;  // both ascending
};

// What one-sided operations between two ranks take, call by call, as measured; instead of what
// messages would.
struct OneSided {
  std::vector<AccessPrice> put, get, accumulate;  // ascending, not empty
  Grid put_pieces;                                // of a byte, by the bytes of a piece and of all
  CallPrice fence;                                // of two ranks, after both have come
  std::optional<double> fence_late_s;             // the same, the last long after the other
  CallPrice lock, unlock, lock_all, unlock_all, flush, post, start, complete, wait;

  // Linear between sizes, the smallest below them, the last slope beyond them.
  static AccessPrice of(const std::vector<AccessPrice>& prices, std::uint64_t bytes);
};

// What a rank computed: how long, and how cold that left the caches (schedule::Operation::cold_s);
// below 0: not known.
struct Worked {
  double seconds = 0, cold_s = -1;
};

// By how much longer a processor takes for a message after computing: what that left in its caches
// is not what messages need.
class AfterWork {
 public:
  // Measured by work that went over so much memory again and again; `longer` by seconds of
  // computing and the bytes of the message.
  struct Measured {
    double memory_bytes;
    Grid longer;
  };
  AfterWork() = default;
  // Ascending in memory. `cold`, if any: by how cold caches were and the bytes.
  AfterWork(std::vector<Measured> measured, Grid cold)
      : measured_(std::move(measured)), cold_(std::move(cold)) {}
  bool empty() const { return measured_.empty(); }
  // Linear over the logarithm of the memory that a rank uses, as of the most for infinity; of the
  // time in proportion below the shortest. By how cold the caches are where that is known, and not
  // less than after the shortest work.
  double at(const Worked& worked, std::uint64_t bytes, double memory_bytes) const;

 private:
  double by_memory(double work_s, std::uint64_t bytes, double memory_bytes) const;

  std::vector<Measured> measured_;
  Grid cold_;
};

// By how much longer computing takes that follows waiting: what it works on has left the caches.
class Refilling {
 public:
  struct Sweep {
    double memory_bytes, seconds;  // of going over so much memory
  };
  Refilling() = default;
  // Ascending; `longer` by seconds since the memory was gone over and its bytes.
  Refilling(std::vector<Sweep> sweeps, Grid longer)
      : sweeps_(std::move(sweeps)), longer_(std::move(longer)) {}
  bool empty() const { return sweeps_.empty(); }
  // How much computing of so long goes over; linear between sweeps and beyond them.
  double gone_over(double computing_s) const;
  // Number of the first sweep that is as long, or of the last.
  std::size_t sweep(double memory_bytes) const;
  // In proportion to either below what was measured, constant beyond.
  double longer_s(double since_s, double memory_bytes) const;

 private:
  std::vector<Sweep> sweeps_;
  Grid longer_;
};

// One kind of distance between ranks (core, socket, node, switch).
struct Level {
  double latency_s = 0;
  std::uint64_t eager_limit_bytes = UINT64_MAX;
  // A blocking send of more lasts until its message is received (release_s), though the data have
  // gone before; in the contention-free engine.
  std::uint64_t attended_above_bytes = UINT64_MAX;
  double crowded_within_s = 0;  // after a receive or a call of one side, when crowding is over
  std::vector<SizeClass> classes = std::vector<SizeClass>(1);  // ascending; the last has no maximum
  // Of windows whose memory MPI allocated, and of those whose memory the program gave.
  std::optional<OneSided> allocated, created;
  Grid packing;  // of a byte, by the bytes of a piece and of the message
  AfterWork after_work;
  // Of eager messages between hosts whose processors serve the network (else empty): for how long a
  // send keeps its processor, in the call or after it, that computed for so long since the one
  // before; and a receive of a message that has come. By the former and the bytes; by 1 and the
  // bytes.
  Grid sending, receiving;
  Refilling refilling;  // after waiting for ranks at this distance
  // By rendezvous, of a byte, by the bytes of a message and the number of the time that a rank
  // sends such data.
  Grid first_uses;

  // Of packing or unpacking, on either side, data that lie in pieces with gaps between them.
  double packing_s(std::uint64_t bytes, std::int32_t piece_bytes) const {
    return static_cast<double>(bytes) * packing.at(piece_bytes, static_cast<double>(bytes));
  }
  // What the data take of after_work, whose memory is cold in its own right.
  double data_after_work_s(const Worked& worked, std::uint64_t bytes, double memory_bytes) const {
    return std::max(
        after_work.at(worked, bytes, memory_bytes) - after_work.at(worked, 1, memory_bytes), 0.0);
  }
  double first_use_s(std::uint32_t uses_before, std::uint64_t bytes) const {
    if (bytes <= eager_limit_bytes) return 0.0;
    const auto size = static_cast<double>(bytes);
    return first_uses.at(size, uses_before + 1.0) * size;
  }
  std::optional<double> kept_by_send_s(double worked_s, std::uint64_t bytes) const {
    if (sending.empty()) return std::nullopt;
    return sending.at(worked_s, static_cast<double>(bytes));
  }
  std::optional<double> kept_by_receive_s(std::uint64_t bytes) const {
    if (receiving.empty() || bytes > eager_limit_bytes) return std::nullopt;
    return receiving.at(1.0, static_cast<double>(bytes));
  }
  // 1: right after such a call; 0: crowded_within_s later.
  double crowd(double apart_s) const {
    return apart_s < crowded_within_s ? 1.0 - apart_s / crowded_within_s : 0.0;
  }

  const OneSided* one_sided(bool of_created) const {
    const std::optional<OneSided>& own = of_created ? created : allocated;
    return own.has_value() ? &*own : nullptr;
  }

  const SizeClass& of(std::uint64_t bytes) const {
    const SizeClass* one = classes.data();
    while (bytes > one->maximum_bytes) ++one;
    return *one;
  }
  // Whether a class has a crossing, a progress below 1 or a price of persistent sends, computing
  // makes messages longer or waiting computing, sends are attended, or messages keep processors
  // beside their way.
  bool disturbed() const;
};

struct Path {
  const Level* level;
  double latency_s;
};

struct LinkRate {
  double gap_s = 0;  // a link is busy for gap + gap_per_byte (s - 1) with a message of s bytes
  double gap_per_byte_s = 0;
  bool operator==(const LinkRate&) const = default;
};

class Network {
 public:
  virtual ~Network() = default;
  // Of two ranks that differ.
  virtual Path path(std::int32_t from, std::int32_t to) const = 0;
  // Its level; of who needs no latency.
  virtual const Level& level(std::int32_t from, std::int32_t to) const {
    return *path(from, to).level;
  }
  // What a message to oneself costs: overheads, and a copy by the CPU.
  const Level& self() const { return self_; }
  void set_self(Level level) { self_ = std::move(level); }
  // Whether a level is disturbed.
  virtual bool disturbed() const { return false; }
  // The level of every pair of ranks, when there is only one.
  virtual const Level* uniform() const { return nullptr; }
  virtual std::size_t links() const { return 0; }
  virtual LinkRate link(std::uint32_t) const { return {}; }
  // Appends the links that a message between two ranks that differ takes, in order, and returns
  // their path.
  virtual Path route(std::int32_t from, std::int32_t to, std::vector<std::uint32_t>&) const {
    return path(from, to);
  }

 private:
  Level self_;
};

// `in_large_pages`: of the bytes of long messages, the share that ranks send from such pages.
// Throws UserError(usage) when the document lacks something, has something unknown, or a value is
// out of range.
std::unique_ptr<Network> make_network(const nlohmann::json& document, std::int32_t ranks,
                                      double in_large_pages = 0.0);

// Names of the models that were built in.
std::vector<std::string> network_models();

}  // namespace hakaru::replay
