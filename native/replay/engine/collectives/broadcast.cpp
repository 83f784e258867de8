#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

template <Tree tree>
bool along(const Call& call, std::uint32_t step, Exchange& exchange) {
  return from_root(tree, call, step, exchange, call.bytes);
}

// The blocks of a scatter and of an allgather that together broadcast: one part of the vector each,
// counted from the root.
Call in_parts(const Call& call, const std::int32_t root) {
  Call parts = call;
  parts.bytes = (call.bytes + static_cast<std::uint64_t>(call.size) - 1) /
                static_cast<std::uint64_t>(call.size);
  parts.lengths = nullptr;
  parts.root = root;
  return parts;
}

// Van de Geijn: the root scatters, and all gather: 2 (P - 1) / P of the vector passes each rank
// instead of log2 P times all of it.
bool scatter_then(Steps allgather, const Call& call, std::uint32_t step, Exchange& exchange) {
  const Call parts = in_parts(call, call.root);
  const std::uint32_t first = ceiling_log2(call.size) + 1;
  if (step < first) {
    scatter_binomial(parts, step, exchange);
    return true;
  }
  return allgather(parts, step - first, exchange);
}

bool scatter_ring(const Call& call, std::uint32_t step, Exchange& exchange) {
  return scatter_then(allgather_ring, call, step, exchange);
}

bool scatter_doubling(const Call& call, std::uint32_t step, Exchange& exchange) {
  return scatter_then(allgather_doubling, call, step, exchange);
}

constexpr Algorithm list[] = {
    {"binomial", along<Tree::binomial>, "down a binomial tree", {{{6}}}, "binomial"},
    {"linear", along<Tree::linear>, "the root to everyone", {{{1}}}},
    {"chain", along<Tree::chain>, "from rank to rank, in one segment", {{{2}, {3, "pipeline"}}}},
    {"binary", along<Tree::binary>, "down a binary tree"},
    {"four_nomial", along<Tree::four_nomial>, "down a tree of radix 4"},
    {"van_de_geijn",
     scatter_ring,
     "scatter and ring",
     {{{9, "scatter_allgather_ring"}}},
     "scatter_ring_allgather"},
    {"scatter_doubling",
     scatter_doubling,
     "scatter and recursive doubling",
     {},
     "scatter_recursive_doubling_allgather"},
    hardware};

}  // namespace

std::span<const Algorithm> broadcasts() { return list; }

}  // namespace hakaru::replay::collectives
