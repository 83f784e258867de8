#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

bool doubling(const Call& call, std::uint32_t step, Exchange& exchange) {
  return recursive_doubling(call, step, exchange, call.bytes, call.bytes);
}

// P - 1 steps that reduce part after part around the ring, and P - 1 that pass the sums around.
bool ring(const Call& call, std::uint32_t step, Exchange& exchange) {
  const std::int32_t size = call.size;
  const auto rounds = static_cast<std::uint32_t>(size - 1);
  if (step >= 2 * rounds) return false;
  exchange.send_to = around(call.rank + 1, size);
  exchange.receive_from = around(call.rank - 1, size);
  const bool reducing = step < rounds;
  const auto round = static_cast<std::int32_t>(reducing ? step : step - rounds);
  const std::int32_t part = reducing ? call.rank - round : call.rank + 1 - round;
  exchange.send_bytes = call.part(((part % size) + size) % size);
  if (reducing) exchange.reduce_bytes = call.part((((part - 1) % size) + size) % size);
  return true;
}

// Rabenseifner: reduce-scatter by recursive halving, allgather by recursive doubling.
bool rabenseifner(const Call& call, std::uint32_t step, Exchange& exchange) {
  const Fold fold(call.rank, call.size);
  const std::uint32_t rounds = fold.log2_power;
  const FoldStep at = fold_step(call, fold, step, 2 * rounds, call.bytes, call.bytes, exchange);
  if (at.part != FoldStep::Part::inner) return at.part != FoldStep::Part::none;
  if (at.inner < rounds) return halving_step(fold, call.bytes, at.inner, exchange);
  halving_step(fold, call.bytes, 2 * rounds - 1 - at.inner, exchange);
  exchange.reduce_bytes = 0;
  return true;
}

template <Tree reduce_tree, Tree broadcast_tree>
bool reduce_broadcast(const Call& given, std::uint32_t step, Exchange& exchange) {
  Call call = given;
  call.root = 0;
  const std::uint32_t first = tree_steps(reduce_tree, call.size);
  if (step < first) {
    to_root(reduce_tree, call, step, exchange, call.bytes, call.bytes);
    return true;
  }
  return from_root(broadcast_tree, call, step - first, exchange, call.bytes);
}

constexpr Algorithm list[] = {
    {"recursive_doubling",
     doubling,
     "log2 P exchanges of the whole vector",
     {{{3}}},
     "recursive_doubling"},
    {"ring",
     ring,
     "part after part is summed around the ring, and the sums are passed around it",
     {{{4}}}},
    {"rabenseifner",
     rabenseifner,
     "reduce-scatter by recursive halving, allgather by recursive doubling",
     {{{6}}},
     "reduce_scatter_allgather"},
    {"reduce_broadcast",
     reduce_broadcast<Tree::binomial, Tree::binomial>,
     "up a binomial tree to rank 0 and down it (Open MPI: non-overlapping)",
     {{{2}}}},
    {"linear", reduce_broadcast<Tree::linear, Tree::linear>, "all to rank 0 and back"},
    hardware};

}  // namespace

std::span<const Algorithm> allreduces() { return list; }

}  // namespace hakaru::replay::collectives
