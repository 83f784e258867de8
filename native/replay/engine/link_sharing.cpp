#include "native/replay/engine/link_sharing.hpp"

#include <algorithm>

namespace hakaru::replay {

LinkQueue::LinkQueue(const Network& network) : links_(network.links()) {
  for (std::uint32_t i = 0; i < links_.size(); ++i) links_[i].rate = network.link(i);
}

double LinkQueue::pass(const std::vector<std::uint32_t>& route, std::uint64_t bytes,
                       double start_s) {
  const double steps = bytes > 1 ? static_cast<double>(bytes - 1) : 0.0;
  for (const std::uint32_t index : route) {
    Link& link = links_[index];
    start_s = std::max(start_s, link.free_s);
    link.free_s = start_s + link.rate.gap_s + link.rate.gap_per_byte_s * steps;
  }
  return start_s;
}

double LinkQueue::slowest(const std::vector<std::uint32_t>& route, double gap_per_byte_s) const {
  for (const std::uint32_t index : route)
    gap_per_byte_s = std::max(gap_per_byte_s, links_[index].rate.gap_per_byte_s);
  return gap_per_byte_s;
}

}  // namespace hakaru::replay
