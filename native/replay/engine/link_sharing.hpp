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

}  // namespace hakaru::replay
