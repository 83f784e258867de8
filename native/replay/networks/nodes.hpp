// What networks of nodes have in common: ranks on nodes, the level inside a node and between nodes,
// and latency by hops.
#pragma once

#include <fmt/core.h>

#include "native/base/require.hpp"
#include "native/replay/networks/reading.hpp"

namespace hakaru::replay {

// "topology" has "ranks_per_node" (1), "hop_latency_s" (0) and "link": {"gap_s", "gap_per_byte_s"
// or "rate_bytes_per_s"}. A message between nodes costs the level `switch`, its latency grows by
// hop_latency_s for each link, and it shares those links.
class NodeNetwork : public Network {
 public:
  NodeNetwork(const nlohmann::json& network, std::int32_t ranks)
      : inside_(read_level_or_next(network, "core")),
        between_(read_level_or_next(network, "switch")),
        ranks_per_node_(static_cast<std::int32_t>(
            count(network.at("topology"), "topology", "ranks_per_node", 1, 1))),
        hop_latency_s_(number(network.at("topology"), "topology", "hop_latency_s", 0)),
        nodes_((ranks + ranks_per_node_ - 1) / ranks_per_node_) {
    base::require(network["topology"].contains("link"), "the topology has no 'link'",
                  "links are what messages share here");
    link_ = read_link(network["topology"]["link"], "topology.link");
  }

  Path path(std::int32_t from, std::int32_t to) const override {
    const std::int32_t a = node(from), b = node(to);
    return a == b ? inside() : between(hops(a, b));
  }
  const Level& level(std::int32_t from, std::int32_t to) const override {
    return node(from) == node(to) ? inside_ : between_;
  }
  bool disturbed() const override { return inside_.disturbed() || between_.disturbed(); }
  LinkRate link(std::uint32_t) const override { return link_; }
  Path route(std::int32_t from, std::int32_t to, std::vector<std::uint32_t>& links) const override {
    const std::int32_t a = node(from), b = node(to);
    if (a == b) return inside();
    const std::size_t before = links.size();
    node_route(a, b, links);
    return between(static_cast<std::int32_t>(links.size() - before));
  }

 protected:
  // So many links as node_route() appends.
  virtual std::int32_t hops(std::int32_t from, std::int32_t to) const = 0;
  virtual void node_route(std::int32_t from, std::int32_t to,
                          std::vector<std::uint32_t>& links) const = 0;
  std::int32_t nodes() const { return nodes_; }
  void require_room(std::int64_t places) const {
    base::require(places >= nodes_, fmt::format("the topology has {} nodes", places),
                  fmt::format("{} are needed", nodes_));
  }

 private:
  std::int32_t node(std::int32_t rank) const {
    return ranks_per_node_ == 1 ? rank : rank / ranks_per_node_;
  }
  Path inside() const { return {&inside_, inside_.latency_s}; }
  Path between(std::int32_t hops) const {
    return {&between_, between_.latency_s + hop_latency_s_ * hops};
  }

  Level inside_, between_;
  std::int32_t ranks_per_node_;
  double hop_latency_s_;
  std::int32_t nodes_;
  LinkRate link_;
};

inline void require_topology(const nlohmann::json& network, const std::vector<std::string>& known) {
  base::require(network.contains("topology"), "the network has no 'topology'", "",
                "see docs/reference/replay-engine.md");
  require_keys(network["topology"], "topology", known);
}

}  // namespace hakaru::replay
