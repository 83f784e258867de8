#include <algorithm>

#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

// All receives are posted, all sends started, and then all are waited for.
bool simple_spread(const Call& call, std::uint32_t step, Exchange& exchange) {
  const auto others = static_cast<std::uint32_t>(call.size - 1);
  if (step < others) {
    exchange.send_to = around(call.rank + 1 + static_cast<std::int32_t>(step), call.size);
    exchange.send_bytes = call.block(exchange.send_to);
    exchange.hold_send = false;
    return true;
  }
  if (step >= 2 * others) return false;
  exchange.receive_from =
      around(call.rank - 1 - static_cast<std::int32_t>(step - others), call.size);
  exchange.posted_early = true;
  return true;
}

// Step s: to rank + s, from rank - s.
bool pairwise(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (step + 1 >= static_cast<std::uint32_t>(call.size)) return false;
  const auto distance = static_cast<std::int32_t>(step) + 1;
  exchange.send_to = around(call.rank + distance, call.size);
  exchange.receive_from = around(call.rank - distance, call.size);
  exchange.send_bytes = call.block(exchange.send_to);
  return true;
}

// Step k: all blocks whose distance has bit k go 2^k further.
bool bruck(const Call& call, std::uint32_t step, Exchange& exchange) {
  const std::int64_t wide = std::int64_t{1} << step;
  if (wide >= call.size) return false;
  const auto distance = static_cast<std::int32_t>(wide);
  const std::int64_t blocks =
      (call.size / (2 * wide)) * wide + std::max<std::int64_t>(0, call.size % (2 * wide) - wide);
  exchange.send_to = around(call.rank + distance, call.size);
  exchange.receive_from = around(call.rank - distance, call.size);
  std::uint64_t block = call.bytes;
  if (call.lengths != nullptr) {
    block = 0;
    for (const std::int64_t length : *call.lengths) block += static_cast<std::uint64_t>(length);
    block /= static_cast<std::uint64_t>(call.size);
  }
  exchange.send_bytes = block * static_cast<std::uint64_t>(blocks);
  return true;
}

constexpr Algorithm list[] = {
    {"simple_spread",
     simple_spread,
     "all receives are posted, all sends started, and then all are waited for",
     {{{1, "linear"}, {4, "linear_sync"}}},
     "scattered"},
    {"pairwise", pairwise, "step s: to rank + s, from rank - s", {{{2}}}, "pairwise"},
    {"bruck",
     bruck,
     "ceil(log2 P) steps: all blocks whose distance has bit k go 2^k further",
     {{{3}}},
     "brucks"},
    hardware};

// The list holds (destination, bytes) pairs, call.bytes of them, then (source, bytes) pairs.
bool graph(const Call& call, std::uint32_t step, Exchange& exchange) {
  const auto destinations = static_cast<std::size_t>(call.bytes);
  if (2 * static_cast<std::size_t>(step) >= call.lengths->size()) return false;
  const std::int64_t partner = (*call.lengths)[2 * static_cast<std::size_t>(step)];
  if (partner < 0) return true;
  if (step < destinations) {
    exchange.send_to = static_cast<std::int32_t>(partner);
    exchange.send_bytes = static_cast<std::uint64_t>((*call.lengths)[2 * step + 1]);
    exchange.hold_send = false;
  } else {
    exchange.receive_from = static_cast<std::int32_t>(partner);
    exchange.posted_early = true;
  }
  return true;
}

constexpr Algorithm graph_list[] = {
    {"linear", graph, "all receives are posted, all sends started, and then all are waited for"}};

}  // namespace

std::span<const Algorithm> alltoalls() { return list; }
std::span<const Algorithm> neighbour_exchanges() { return graph_list; }

}  // namespace hakaru::replay::collectives
