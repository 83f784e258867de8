#include "native/replay/engine/link_sharing.hpp"

namespace hakaru::replay {

LinkQueue::LinkQueue(const Network& network) : free_s_(network.links(), 0.0) {
  rates_.reserve(free_s_.size());
  for (std::uint32_t link = 0; link < free_s_.size(); ++link) rates_.push_back(network.link(link));
  const auto as_first = [this](const LinkRate& one) { return one == rates_.front(); };
  if (std::all_of(rates_.begin(), rates_.end(), as_first))
    rates_.resize(std::min<std::size_t>(rates_.size(), 1));
  else
    different_ = UINT32_MAX;
}

}  // namespace hakaru::replay
