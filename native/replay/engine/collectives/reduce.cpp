#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

template <Tree tree>
bool along(const Call& call, std::uint32_t step, Exchange& exchange) {
  return to_root(tree, call, step, exchange, call.bytes, call.bytes);
}

// Rabenseifner: recursive halving, then a binomial gather of the parts. The folded rank 0 collects,
// and passes the result on when it is not the root.
bool rabenseifner(const Call& call, std::uint32_t step, Exchange& exchange) {
  const Fold fold(call.rank, call.size);
  const std::int32_t collector = fold.real(0);
  const std::uint32_t last = 1 + 2 * fold.log2_power;
  if (step == last) {
    if (collector == call.root) return true;
    if (call.rank == collector) exchange.send_to = call.root;
    if (call.rank == call.root) exchange.receive_from = collector;
    exchange.send_bytes = call.bytes;
    return true;
  }
  if (step > last) return false;
  if (step == 0) {
    exchange.send_bytes = call.bytes;
    if (fold.rank < 0) exchange.send_to = call.rank + 1;
    if (fold.acts_for_another(call.rank)) {
      exchange.receive_from = call.rank - 1;
      exchange.reduce_bytes = call.bytes;
    }
    return true;
  }
  if (fold.rank < 0) return true;
  if (step <= fold.log2_power) return halving_step(fold, call.bytes, step - 1, exchange);
  // The gather undoes the halving: those whose bit k is the highest they have send what they hold
  // of the sum to the partner without it.
  const std::uint32_t k = 2 * fold.log2_power - step;
  const std::int32_t bit = 1 << k;
  if (fold.rank >> (k + 1) != 0) return true;
  exchange.send_bytes = call.bytes >> (k + 1);
  if ((fold.rank & bit) != 0) {
    exchange.send_to = fold.real(fold.rank ^ bit);
  } else {
    exchange.receive_from = fold.real(fold.rank ^ bit);
  }
  return true;
}

constexpr Algorithm list[] = {
    {"binomial", along<Tree::binomial>, "up a binomial tree", {{{5}}}, "binomial"},
    {"linear", along<Tree::linear>, "everyone to the root", {{{1}}}},
    {"chain", along<Tree::chain>, "from rank to rank, in one segment", {{{3, "pipeline"}}}},
    {"binary", along<Tree::binary>, "up a binary tree"},
    {"rabenseifner",
     rabenseifner,
     "reduce-scatter by recursive halving, binomial gather",
     {{{7}}},
     "reduce_scatter_gather"},
    hardware};

}  // namespace

std::span<const Algorithm> reduces() { return list; }

}  // namespace hakaru::replay::collectives
