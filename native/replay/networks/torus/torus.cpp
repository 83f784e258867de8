// A torus (or a mesh) of nodes with dimension-order routes: the first dimension is corrected first,
// each the shorter way around (at equal length, upwards). Every node has one link in each direction
// of each dimension.
//
//   "topology": {"dimensions": [x, y, ...], "wrap": true, "ranks_per_node", "hop_latency_s",
//   "link"}
// Node n is at (n mod x, n / x mod y, ...).
#include <cstdlib>

#include "native/replay/networks/nodes.hpp"

namespace hakaru::replay::networks::torus {

namespace {

class Torus : public NodeNetwork {
 public:
  Torus(const nlohmann::json& network, std::int32_t ranks) : NodeNetwork(network, ranks) {
    const nlohmann::json& topology = network["topology"];
    base::require(topology.contains("dimensions") && topology["dimensions"].is_array() &&
                      !topology["dimensions"].empty(),
                  "topology: 'dimensions' is no list of lengths");
    std::int64_t places = 1;
    for (const nlohmann::json& one : topology["dimensions"]) {
      base::require(one.is_number_integer() && one.get<std::int64_t>() >= 1 &&
                        one.get<std::int64_t>() < (1 << 24),
                    "topology: a dimension has no length of at least 1");
      lengths_.push_back(one.get<std::int32_t>());
      places = std::min<std::int64_t>(places * lengths_.back(), INT32_MAX);
    }
    require_room(places);
    places_ = static_cast<std::int32_t>(places);
    wrap_ = topology.value("wrap", true);
    for (std::int32_t node = 0; node < nodes(); ++node)
      for (std::int32_t rest = node, d = 0; d < dimensions(); ++d) {
        coordinates_.push_back(rest % length(d));
        rest /= length(d);
      }
  }

  std::size_t links() const override {
    return 2 * lengths_.size() * static_cast<std::size_t>(places_);
  }

 protected:
  std::int32_t hops(std::int32_t from, std::int32_t to) const override {
    const std::int32_t *x = at(from), *y = at(to);
    std::int32_t sum = 0;
    for (std::int32_t d = 0; d < dimensions(); ++d) sum += std::abs(steps(x[d], y[d], length(d)));
    return sum;
  }
  void node_route(std::int32_t from, std::int32_t to,
                  std::vector<std::uint32_t>& links) const override {
    const std::int32_t *here = at(from), *there = at(to);
    const std::int32_t links_per_node = 2 * dimensions();
    std::int32_t node = from;
    for (std::int32_t d = 0, stride = 1; d < dimensions(); stride *= length(d++)) {
      std::int32_t x = here[d];
      std::int32_t left = steps(x, there[d], length(d));
      const std::int32_t direction = left < 0 ? -1 : 1;
      const std::int32_t edge = left < 0 ? 0 : length(d) - 1;
      const std::int32_t link = 2 * d + (left < 0 ? 1 : 0);
      for (; left != 0; left -= direction) {
        links.push_back(static_cast<std::uint32_t>(node) *
                            static_cast<std::uint32_t>(links_per_node) +
                        static_cast<std::uint32_t>(link));
        const std::int32_t next = x == edge ? length(d) - 1 - edge : x + direction;
        node += (next - x) * stride;
        x = next;
      }
    }
  }

 private:
  // Signed number of links from x to y.
  std::int32_t steps(std::int32_t x, std::int32_t y, std::int32_t length) const {
    std::int32_t way = y - x;
    if (!wrap_) return way;
    if (2 * way > length) way -= length;
    if (2 * way <= -length) way += length;
    return way;
  }

  std::int32_t dimensions() const { return static_cast<std::int32_t>(lengths_.size()); }
  std::int32_t length(std::int32_t d) const { return lengths_[static_cast<std::size_t>(d)]; }
  const std::int32_t* at(std::int32_t node) const {
    return coordinates_.data() + static_cast<std::size_t>(node) * lengths_.size();
  }

  std::vector<std::int32_t> lengths_;
  std::vector<std::int32_t> coordinates_;  // of each node
  std::int32_t places_ = 1;
  bool wrap_ = true;
};

}  // namespace

std::unique_ptr<Network> make(const nlohmann::json& network, std::int32_t ranks) {
  require_topology(network, {"dimensions", "wrap", "ranks_per_node", "hop_latency_s", "link"});
  return std::make_unique<Torus>(network, ranks);
}

}  // namespace hakaru::replay::networks::torus
