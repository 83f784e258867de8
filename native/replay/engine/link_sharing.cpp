#include "native/replay/engine/link_sharing.hpp"

#include <algorithm>
#include <cmath>

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

FairShares::FairShares(const Network& network) : capacity_(network.links()) {
  for (std::uint32_t i = 0; i < capacity_.size(); ++i) {
    const double gap = network.link(i).gap_per_byte_s;
    capacity_[i] = gap > 0 ? 1.0 / gap : INFINITY;
  }
}

void FairShares::start(std::uint32_t flight, std::vector<std::uint32_t> route, double bytes,
                       double most_bytes_per_s) {
  flows_.push_back({flight, std::move(route), bytes, most_bytes_per_s});
  changed_ = true;
}

// Progressive filling (Bertsekas, Gallager, Data Networks, 6.5.2): the tightest link, or the flow
// with the least own limit, decides next.
void FairShares::share() {
  std::vector<double> left = capacity_;
  std::vector<std::uint32_t> users(capacity_.size(), 0);
  std::vector<bool> fixed(flows_.size(), false);
  for (const Flow& flow : flows_)
    for (const std::uint32_t link : flow.route) ++users[link];
  for (std::size_t open = flows_.size(); open > 0;) {
    double level = INFINITY;
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      if (fixed[f]) continue;
      level = std::min(level, flows_[f].most);
      for (const std::uint32_t link : flows_[f].route)
        level = std::min(level, left[link] / users[link]);
    }
    std::vector<std::size_t> reached;
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      if (fixed[f]) continue;
      bool tight = flows_[f].most <= level;
      for (const std::uint32_t link : flows_[f].route)
        tight = tight || left[link] / users[link] <= level * (1 + 1e-12);
      if (tight) reached.push_back(f);
    }
    for (const std::size_t f : reached) {
      fixed[f] = true;
      flows_[f].rate = level;
      --open;
      for (const std::uint32_t link : flows_[f].route) {
        left[link] = std::max(0.0, left[link] - level);
        --users[link];
      }
    }
  }
  for (Flow& flow : flows_)
    flow.end_s = std::isinf(flow.rate) ? now_s_ : now_s_ + flow.left_bytes / flow.rate;
  changed_ = false;
}

double FairShares::next_end_s() {
  if (changed_) share();
  double next = INFINITY;
  for (const Flow& flow : flows_) next = std::min(next, flow.end_s);
  return next;
}

std::vector<std::uint32_t> FairShares::advance(double time_s) {
  if (changed_) share();
  time_s = std::max(time_s, now_s_);
  std::vector<std::uint32_t> ended;
  for (Flow& flow : flows_) {
    if (flow.end_s <= time_s) {
      ended.push_back(flow.flight);
    } else {
      flow.left_bytes -= flow.rate * (time_s - now_s_);
    }
  }
  if (!ended.empty()) {
    std::erase_if(flows_, [time_s](const Flow& flow) { return flow.end_s <= time_s; });
    changed_ = true;
  }
  now_s_ = time_s;
  return ended;
}

double FairShares::rate(std::uint32_t flight) const {
  for (const Flow& flow : flows_)
    if (flow.flight == flight) return flow.rate;
  return 0;
}

}  // namespace hakaru::replay
