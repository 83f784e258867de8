// Every node has one link into the crossbar and one out of it; nothing else is shared.
//
//   "topology": {"ranks_per_node", "hop_latency_s", "link"}
#include "native/replay/networks/nodes.hpp"

namespace hakaru::replay::networks::crossbar {

namespace {

class Crossbar : public NodeNetwork {
 public:
  using NodeNetwork::NodeNetwork;
  std::size_t links() const override { return 2 * static_cast<std::size_t>(nodes()); }

 protected:
  std::int32_t hops(std::int32_t, std::int32_t) const override { return 2; }
  void node_route(std::int32_t from, std::int32_t to,
                  std::vector<std::uint32_t>& links) const override {
    links.push_back(2 * static_cast<std::uint32_t>(from));
    links.push_back(2 * static_cast<std::uint32_t>(to) + 1);
  }
};

}  // namespace

std::unique_ptr<Network> make(const nlohmann::json& network, std::int32_t ranks) {
  require_topology(network, {"ranks_per_node", "hop_latency_s", "link"});
  return std::make_unique<Crossbar>(network, ranks);
}

}  // namespace hakaru::replay::networks::crossbar
