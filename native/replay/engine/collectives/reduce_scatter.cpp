#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

std::uint64_t own_block(const Call& call, std::int32_t rank) {
  return call.lengths != nullptr ? call.block(rank) : call.part(rank);
}

std::uint64_t total(const Call& call) {
  if (call.lengths == nullptr) return call.bytes;
  std::uint64_t sum = 0;
  for (const std::int64_t length : *call.lengths) sum += static_cast<std::uint64_t>(length);
  return sum;
}

bool recursive_halving(const Call& call, std::uint32_t step, Exchange& exchange) {
  const Fold fold(call.rank, call.size);
  const std::uint64_t bytes = total(call);
  const FoldStep at = fold_step(call, fold, step, fold.log2_power, bytes, bytes, exchange);
  if (at.part == FoldStep::Part::inner) return halving_step(fold, bytes, at.inner, exchange);
  if (at.part == FoldStep::Part::last) exchange.send_bytes = own_block(call, call.rank - 1);
  return at.part != FoldStep::Part::none;
}

bool ring(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (step + 1 >= static_cast<std::uint32_t>(call.size)) return false;
  const auto round = static_cast<std::int32_t>(step);
  exchange.send_to = around(call.rank + 1, call.size);
  exchange.receive_from = around(call.rank - 1, call.size);
  exchange.send_bytes = own_block(call, around(call.rank - 1 - round, call.size));
  const std::int32_t received = call.rank - 2 - round;
  exchange.reduce_bytes = own_block(call, ((received % call.size) + call.size) % call.size);
  return true;
}

// Every pair exchanges the part that the other one reduces.
bool pairwise(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (step + 1 >= static_cast<std::uint32_t>(call.size)) return false;
  const auto distance = static_cast<std::int32_t>(step) + 1;
  exchange.send_to = around(call.rank + distance, call.size);
  exchange.receive_from = around(call.rank - distance, call.size);
  exchange.send_bytes = own_block(call, exchange.send_to);
  exchange.reduce_bytes = own_block(call, call.rank);
  return true;
}

// A reduction to rank 0 and a scatter from there.
bool reduce_then_scatter(const Call& given, std::uint32_t step, Exchange& exchange) {
  Call call = given;
  call.root = 0;
  const std::uint32_t first = tree_steps(Tree::binomial, call.size);
  if (step < first) {
    to_root(Tree::binomial, call, step, exchange, total(call), total(call));
    return true;
  }
  if (!scatter_linear(call, step - first, exchange)) return false;
  if (exchange.send_to >= 0) exchange.send_bytes = own_block(call, exchange.send_to);
  return true;
}

constexpr Algorithm list[] = {
    {"recursive_halving", recursive_halving, "halves are exchanged and summed, log2 P times"},
    {"ring", ring, "part after part is summed around the ring"},
    {"pairwise", pairwise, "every pair exchanges the part that the other one sums"},
    {"reduce_scatter", reduce_then_scatter, "a reduction to rank 0 and a scatter from there"},
    hardware};

}  // namespace

std::span<const Algorithm> reduce_scatters() { return list; }

}  // namespace hakaru::replay::collectives
