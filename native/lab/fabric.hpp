// The switch without devices and clock: which frame reaches which host when.
//
// Every host has a link of rate R in each direction and every path a latency L. A frame of B bytes
// occupies a link for
//   t(B) = (B + 24) / R          (24: preamble 8, check sequence 4, gap 12, as on Ethernet, IEEE
//   802.3)
// It starts on its sender's link when the frames before it have left, starts on the receiver's link
// at the same moment or when that is free (cut-through: a frame on an idle path pays t(B) once, not
// twice), and is delivered L after it has left the receiver's link. Both links are first in, first
// out, with bounded queues; a frame that finds one full is dropped and counted. Frames can be moved
// on by their sources, so that several threads share the work; the fabric itself knows no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace hakaru::lab {

using Nanoseconds = std::int64_t;
using Frame = std::vector<unsigned char>;
using SharedFrame = std::shared_ptr<const Frame>;

inline constexpr double framing_bytes = 24.0;
inline constexpr std::size_t shortest_frame_bytes = 14;  // destination, source, type

struct LinkSettings {
  Nanoseconds latency_ns = 0;
  double bytes_per_second = 0.0;  // 0: unlimited
  std::size_t queue_bytes = 64u << 20;
};

// Time that a frame occupies a link, in ns; 0 for an unlimited link.
double occupation_ns(const LinkSettings& settings, std::size_t frame_bytes);

// Which host has which Ethernet address, learnt from the frames they send.
class ForwardingTable {
 public:
  void learn(const Frame& frame, int port);
  // The host to which the frame goes; none: all but the sender (group address, or not yet heard
  // of).
  std::optional<int> destination(const Frame& frame) const;

 private:
  std::unordered_map<std::uint64_t, int> ports_;
};

struct Counts {
  std::uint64_t accepted_frames = 0, accepted_bytes = 0;  // frames read from hosts
  std::uint64_t delivered_frames = 0,
                delivered_bytes = 0;   // frames handed to hosts; a flooded frame counts at each
  std::uint64_t dropped_frames = 0;    // a queue was full
  std::uint64_t malformed_frames = 0;  // too short to have addresses
};

class Fabric {
 public:
  // Called for every frame that is due: host, due time, frame.
  using Deliver = std::function<void(int, Nanoseconds, const SharedFrame&)>;

  Fabric(int ports, const LinkSettings& settings);

  // All ports.
  const std::vector<int>& ports() const { return ports_; }
  // A frame that host `source` sent at `now_ns`. Times of successive calls of a source never
  // decrease.
  void accept(int source, Frame frame, Nanoseconds now_ns);
  // Moves what came from `sources` on to `now_ns` and delivers what is due, in the order of the due
  // times.
  void advance(const std::vector<int>& sources, Nanoseconds now_ns, const Deliver& deliver);
  // When `advance` of these has something to do next; none while nothing is under way.
  std::optional<Nanoseconds> next_event(const std::vector<int>& sources) const;

  const Counts& counts() const { return counts_; }

 private:
  struct Waiting {
    double arrival_ns;
    SharedFrame frame;
  };
  struct Due {
    int port;
    SharedFrame frame;
  };
  static constexpr double always_ns = -std::numeric_limits<double>::infinity();
  struct Source {
    double link_free_ns = always_ns;
    std::size_t queued_bytes = 0;
    std::deque<Waiting> queue;
    std::multimap<Nanoseconds, Due> under_way;  // by due time; equal ones in order
  };

  static constexpr Nanoseconds never_ns = std::numeric_limits<Nanoseconds>::max();
  // When its next frame starts on its link, and when the next is due; infinite and never_ns where
  // there is none.
  static double start_ns(const Source& source);
  static Nanoseconds due_ns(const Source& source);
  // nullptr: there are no sources.
  template <typename Time>
  Source* earliest(const std::vector<int>& sources, Time (*time_of)(const Source&));
  void cross(Source& source);
  void send_down(Source& source, int port, double start, const SharedFrame& frame);

  LinkSettings settings_;
  std::vector<int> ports_;
  std::vector<Source> sources_;
  std::vector<double> downlinks_free_ns_;
  ForwardingTable table_;
  Counts counts_;
};

}  // namespace hakaru::lab
