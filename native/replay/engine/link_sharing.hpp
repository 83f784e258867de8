// How messages share links.
#pragma once

#include <cstdint>
#include <vector>

#include "native/replay/networks/network.hpp"

namespace hakaru::replay {

// First come, first served: a link is busy for gap + G_link (s - 1) with each message, in the order
// in which messages start. A message cuts through: it holds all its links from when it gets them,
// and its last byte leaves after (s - 1) max(G of the NIC, G of its links).
class LinkQueue {
 public:
  explicit LinkQueue(const Network& network);
  // When the first byte has got all the links, for a message that is ready at start_s. Occupies
  // them.
  double pass(const std::vector<std::uint32_t>& route, std::uint64_t bytes, double start_s);
  // Slowest G of the route, at least `gap_per_byte_s`.
  double slowest(const std::vector<std::uint32_t>& route, double gap_per_byte_s) const;

 private:
  struct Link {
    LinkRate rate;
    double free_s = 0;
  };
  std::vector<Link> links_;
};

// Max-min fair shares: rates grow together until a link or a flow's own limit is reached, then
// those concerned stay, and the others go on.
class FairShares {
 public:
  explicit FairShares(const Network& network);

  // Starts a flow at the present time. `bytes` > 0; most_bytes_per_s > 0 may be infinite.
  void start(std::uint32_t flight, std::vector<std::uint32_t> route, double bytes,
             double most_bytes_per_s);
  // When the next flow ends, if nothing is started before; infinity when there is none.
  double next_end_s();
  // Moves the present to time_s (not beyond next_end_s) and returns the flights that have ended
  // then.
  std::vector<std::uint32_t> advance(double time_s);
  double rate(std::uint32_t flight) const;

 private:
  struct Flow {
    std::uint32_t flight;
    std::vector<std::uint32_t> route;
    double left_bytes;
    double most;
    double rate = 0;
    double end_s = 0;
  };
  void share();

  std::vector<double> capacity_;
  std::vector<Flow> flows_;
  double now_s_ = 0;
  bool changed_ = false;
};

}  // namespace hakaru::replay
