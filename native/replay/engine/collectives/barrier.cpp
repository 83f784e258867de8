#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

// Step k: to rank + 2^k, from rank - 2^k. ceil(log2 P) steps.
bool dissemination(const Call& call, std::uint32_t step, Exchange& exchange) {
  const std::int64_t distance = std::int64_t{1} << step;
  if (distance >= call.size) return false;
  const auto d = static_cast<std::int32_t>(distance);
  exchange.send_to = around(call.rank + d, call.size);
  exchange.receive_from = around(call.rank - d, call.size);
  return true;
}

bool doubling(const Call& call, std::uint32_t step, Exchange& exchange) {
  return recursive_doubling(call, step, exchange, 0, 0);
}

bool up_and_down(Tree tree, const Call& given, std::uint32_t step, Exchange& exchange) {
  Call call = given;
  call.root = 0;
  const std::uint32_t first = tree_steps(tree, call.size);
  if (step < first) {
    to_root(tree, call, step, exchange, 0, 0);
    return true;
  }
  return from_root(tree, call, step - first, exchange, 0);
}

bool tree(const Call& call, std::uint32_t step, Exchange& exchange) {
  return up_and_down(Tree::binomial, call, step, exchange);
}

bool linear(const Call& call, std::uint32_t step, Exchange& exchange) {
  return up_and_down(Tree::linear, call, step, exchange);
}

// A token goes twice around.
bool double_ring(const Call& call, std::uint32_t step, Exchange& exchange) {
  const bool receives = (step % 2 == 0) == (call.rank != 0);
  if (receives) {
    exchange.receive_from = around(call.rank - 1, call.size);
  } else {
    exchange.send_to = around(call.rank + 1, call.size);
  }
  return step < 4;
}

constexpr Algorithm list[] = {
    {"dissemination", dissemination, "step k: to rank + 2^k, from rank - 2^k"},
    {"recursive_doubling", doubling, "log2 P exchanges"},
    {"tree", tree, "up a binomial tree and down it"},
    {"linear", linear, "all to rank 0 and back"},
    {"double_ring", double_ring, "a token goes twice around"},
    hardware};

}  // namespace

std::span<const Algorithm> barriers() { return list; }

}  // namespace hakaru::replay::collectives
