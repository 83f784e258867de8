// A fat tree with D-mod-k routes: on its way up a message takes at each switch the upward port
// (destination / stride) mod ports, so that all messages to one destination meet on one way down,
// and different destinations spread (Zahavi, 2010, for k-ary trees).
//
//   "topology": {"down": [d1, d2, ...], "up": [u1, u2, ...], "ranks_per_node", "hop_latency_s",
//   "link"}
// A switch of level i has d_i children (level 1: nodes) and u_i parents; the last level has none
// (its u is not given or 0). The switches of level i under one subtree of d1...di nodes are
// u1...u(i-1) many and stand side by side.
#include "native/replay/networks/nodes.hpp"

namespace hakaru::replay::networks::fat_tree {

namespace {

std::vector<std::int32_t> read_ports(const nlohmann::json& topology, const char* key,
                                     std::size_t least) {
  std::vector<std::int32_t> ports;
  base::require(
      topology.contains(key) && topology[key].is_array() && topology[key].size() >= least,
      fmt::format("topology: '{}' is no list of at least {} numbers of ports", key, least));
  for (const nlohmann::json& one : topology[key]) {
    base::require(one.is_number_integer() && one.get<std::int64_t>() >= 0 &&
                      one.get<std::int64_t>() < (1 << 20),
                  fmt::format("topology: '{}' holds what is no number of ports", key));
    ports.push_back(one.get<std::int32_t>());
  }
  return ports;
}

class FatTree : public NodeNetwork {
 public:
  FatTree(const nlohmann::json& network, std::int32_t ranks) : NodeNetwork(network, ranks) {
    down_ = read_ports(network["topology"], "down", 1);
    up_ = read_ports(network["topology"], "up", down_.size() - 1);
    up_.resize(down_.size());
    // Links of level i: between level i and i + 1 (nodes are level 0), upwards, then downwards.
    std::int64_t places = 1;
    for (const std::int32_t ports : down_) {
      base::require(ports >= 1, "topology: a switch has no child");
      places *= ports;
      base::require(places < INT32_MAX, "the topology is too large");
    }
    require_room(places);
    std::int64_t width = 1;  // switches side by side (level 0: 1)
    std::int64_t under = 1;  // nodes below one of them
    std::int64_t stride = 1;
    for (std::size_t level = 0; level < down_.size(); ++level) {
      first_.push_back(links_);
      const std::int64_t parents = level == 0 ? 1 : up_[level - 1];
      base::require(parents >= 1, "topology: a switch below the last level has no parent");
      under_.push_back(static_cast<std::int32_t>(under));
      width_.push_back(width);
      parents_.push_back(static_cast<std::int32_t>(parents));
      strides_.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(stride, INT32_MAX)));
      if (level > 0) stride = std::min<std::int64_t>(stride * parents, INT32_MAX);
      links_ += 2 * (places / under) * width * parents;
      width *= parents;
      under *= down_[level];
      base::require(links_ < INT32_MAX, "the topology has too many links");
    }
  }

  std::size_t links() const override { return static_cast<std::size_t>(links_); }

 protected:
  std::int32_t hops(std::int32_t from, std::int32_t to) const override {
    return 2 * (top_level(from, to) + 1);
  }
  void node_route(std::int32_t from, std::int32_t to,
                  std::vector<std::uint32_t>& links) const override {
    const std::size_t first = links.size();
    const auto up = static_cast<std::size_t>(hops(from, to) / 2);
    links.resize(first + 2 * up);
    std::int64_t side = 0;  // which of the switches side by side is below the link
    for (std::size_t level = 0; level < up; ++level) {
      const std::int64_t port = to / strides_[level] % parents_[level];
      links[first + level] = link_between(level, from, side, port, false);
      links[first + 2 * up - 1 - level] = link_between(level, to, side, port, true);
      side = side * parents_[level] + port;
    }
  }

 private:
  // Level of the last link upwards: below the lowest switch that has both nodes under it.
  int top_level(std::int32_t from, std::int32_t to) const {
    int level = 0;
    while (from /
               (under_[static_cast<std::size_t>(level)] * down_[static_cast<std::size_t>(level)]) !=
           to / (under_[static_cast<std::size_t>(level)] * down_[static_cast<std::size_t>(level)]))
      ++level;
    return level;
  }
  std::uint32_t link_between(std::size_t level, std::int32_t node, std::int64_t side,
                             std::int64_t port, bool down) const {
    const std::int64_t subtree = node / under_[level];
    const std::int64_t link = (subtree * width_[level] + side) * parents_[level] + port;
    return static_cast<std::uint32_t>(first_[level] + 2 * link + (down ? 1 : 0));
  }

  std::vector<std::int32_t> down_, up_;
  std::vector<std::int64_t> first_, width_;
  std::vector<std::int32_t> under_, parents_, strides_;
  std::int64_t links_ = 0;
};

}  // namespace

std::unique_ptr<Network> make(const nlohmann::json& network, std::int32_t ranks) {
  require_topology(network, {"down", "up", "ranks_per_node", "hop_latency_s", "link"});
  return std::make_unique<FatTree>(network, ranks);
}

}  // namespace hakaru::replay::networks::fat_tree
