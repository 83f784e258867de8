// Cores, sockets, nodes, switches: a level for each distance. A node's NIC and its memory may be
// shared by its ranks.
//
//   "placement": {"cores_per_socket", "sockets_per_node", "nodes_per_switch", "ranks_per_node"?,
//   "mapping": "block" | "cyclic",
//                 "node_of_rank": [...]?, "socket_of_rank": [...]?}
//   "node": {"nic": {"gap_s", "gap_per_byte_s" or "rate_bytes_per_s"}, "memory": {the same}}
// Ranks fill a node's cores in order. block: a node after the other; cyclic: rank r on node r mod
// nodes. Levels: core (same socket), socket (same node), node (same switch), switch (beyond).
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "native/base/require.hpp"
#include "native/replay/networks/reading.hpp"

namespace hakaru::replay::networks::hierarchy {

namespace {

using base::require;
using nlohmann::json;

struct Place {
  std::int32_t node;
  std::int32_t socket;  // in the node
  std::int32_t leaf;    // switch
};

std::vector<std::int32_t> numbers(const json& placement, const char* key, std::int32_t ranks) {
  std::vector<std::int32_t> result;
  require(placement[key].is_array() && placement[key].size() == static_cast<std::size_t>(ranks),
          fmt::format("placement: '{}' does not hold one number for each of {} ranks", key, ranks));
  for (const json& one : placement[key]) {
    require(one.is_number_integer() && one.get<std::int64_t>() >= 0 &&
                one.get<std::int64_t>() < INT32_MAX,
            fmt::format("placement: '{}' holds what is no whole number", key));
    result.push_back(one.get<std::int32_t>());
  }
  return result;
}

std::vector<Place> read_places(const json& placement, std::int32_t ranks) {
  require_keys(placement, "placement",
               {"cores_per_socket", "sockets_per_node", "nodes_per_switch", "ranks_per_node",
                "mapping", "node_of_rank", "socket_of_rank"});
  const auto cores = count(placement, "placement", "cores_per_socket", 1, 1);
  const auto sockets = count(placement, "placement", "sockets_per_node", 1, 1);
  const auto per_switch = count(placement, "placement", "nodes_per_switch", INT32_MAX, 1);
  const auto per_node = count(placement, "placement", "ranks_per_node", cores * sockets, 1);
  const std::string mapping = placement.value("mapping", std::string("block"));
  require(mapping == "block" || mapping == "cyclic",
          fmt::format("there is no mapping '{}'", mapping), "", "choose block or cyclic");
  const std::int64_t nodes = (ranks + per_node - 1) / per_node;
  std::vector<std::int32_t> node_of_rank, socket_of_rank;
  if (placement.contains("node_of_rank")) node_of_rank = numbers(placement, "node_of_rank", ranks);
  if (placement.contains("socket_of_rank"))
    socket_of_rank = numbers(placement, "socket_of_rank", ranks);
  std::vector<Place> places;
  std::vector<std::int64_t> filled;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const std::int64_t node = !node_of_rank.empty() ? node_of_rank[r]
                              : mapping == "block"  ? rank / per_node
                                                    : rank % nodes;
    if (filled.size() <= static_cast<std::size_t>(node))
      filled.resize(static_cast<std::size_t>(node) + 1, 0);
    const std::int64_t core = filled[static_cast<std::size_t>(node)]++;
    const std::int64_t socket =
        !socket_of_rank.empty() ? socket_of_rank[r] : core / cores % sockets;
    places.push_back({static_cast<std::int32_t>(node), static_cast<std::int32_t>(socket),
                      static_cast<std::int32_t>(node / per_switch)});
  }
  return places;
}

class Hierarchy : public Network {
 public:
  Hierarchy(const json& network, std::int32_t ranks)
      : levels_{read_level_or_next(network, "core"), read_level_or_next(network, "socket"),
                read_level_or_next(network, "node"), read_level_or_next(network, "switch")},
        places_(read_places(network.value("placement", json::object()), ranks)) {
    for (const Place& place : places_) nodes_ = std::max(nodes_, place.node + 1);
    const json node = network.value("node", json::object());
    require_keys(node, "node", {"nic", "memory"});
    has_nic_ = node.contains("nic");
    has_memory_ = node.contains("memory");
    if (has_nic_) nic_ = read_link(node["nic"], "node.nic");
    if (has_memory_) memory_ = read_link(node["memory"], "node.memory");
  }

  Path path(std::int32_t from, std::int32_t to) const override {
    const Place& a = places_[static_cast<std::size_t>(from)];
    const Place& b = places_[static_cast<std::size_t>(to)];
    const int level =
        a.node == b.node ? (a.socket == b.socket ? 0 : 1) : (a.leaf == b.leaf ? 2 : 3);
    const Level& one = levels_[static_cast<std::size_t>(level)];
    return {&one, one.latency_s};
  }
  bool disturbed() const override {
    return std::any_of(levels_.begin(), levels_.end(),
                       [](const Level& one) { return one.disturbed(); });
  }
  // Per node: NIC out, NIC in, memory.
  std::size_t links() const override {
    return has_nic_ || has_memory_ ? 3 * static_cast<std::size_t>(nodes_) : 0;
  }
  LinkRate link(std::uint32_t index) const override { return index % 3 == 2 ? memory_ : nic_; }
  Path route(std::int32_t from, std::int32_t to, std::vector<std::uint32_t>& links) const override {
    const auto a = static_cast<std::uint32_t>(places_[static_cast<std::size_t>(from)].node);
    const auto b = static_cast<std::uint32_t>(places_[static_cast<std::size_t>(to)].node);
    if (a == b && has_memory_ && from != to) links.push_back(3 * a + 2);
    if (a != b && has_nic_) {
      links.push_back(3 * a);
      links.push_back(3 * b + 1);
    }
    return path(from, to);
  }

 private:
  std::array<Level, 4> levels_;
  std::vector<Place> places_;
  std::int32_t nodes_ = 1;
  bool has_nic_ = false, has_memory_ = false;
  LinkRate nic_, memory_;
};

}  // namespace

std::unique_ptr<Network> make(const json& network, std::int32_t ranks) {
  return std::make_unique<Hierarchy>(network, ranks);
}

}  // namespace hakaru::replay::networks::hierarchy
