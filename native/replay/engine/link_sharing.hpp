// How messages share links, first come, first served: a link is busy for gap + G_link (s - 1) with
// each message, in the order in which messages start. A message cuts through: it holds all its
// links from when it gets them, and its last byte leaves after (s - 1) max(G of the NIC, G of its
// links).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "native/replay/networks/network.hpp"

namespace hakaru::replay {

class LinkQueue {
 public:
  explicit LinkQueue(const Network& network);
  // When the first byte has got all the links, for a message that is ready at start_s. Occupies
  // them.
  double pass(const std::vector<std::uint32_t>& route, std::uint64_t bytes, double start_s) {
    const double steps = bytes > 1 ? static_cast<double>(bytes - 1) : 0.0;
    for (const std::uint32_t link : route) {
      const LinkRate& rate = rates_[link & different_];
      start_s = std::max(start_s, free_s_[link]);
      free_s_[link] = start_s + rate.gap_s + rate.gap_per_byte_s * steps;
    }
    return start_s;
  }
  // Slowest G of the route, at least `gap_per_byte_s`.
  double slowest(const std::vector<std::uint32_t>& route, double gap_per_byte_s) const {
    if (different_ == 0)
      return route.empty() ? gap_per_byte_s : std::max(gap_per_byte_s, rates_[0].gap_per_byte_s);
    for (const std::uint32_t link : route)
      gap_per_byte_s = std::max(gap_per_byte_s, rates_[link].gap_per_byte_s);
    return gap_per_byte_s;
  }

 private:
  std::vector<double> free_s_;
  std::vector<LinkRate> rates_;  // of each link; of all when they are the same
  std::uint32_t different_ = 0;  // mask of a link's index among rates_
};

}  // namespace hakaru::replay
