#include <algorithm>

#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

// Blocks of `blocks` ranks from `first` on, around the ring.
std::uint64_t blocks_bytes(const Call& call, std::int32_t first, std::int32_t blocks) {
  if (call.lengths == nullptr) return call.bytes * static_cast<std::uint64_t>(blocks);
  std::uint64_t sum = 0;
  for (std::int32_t i = 0; i < blocks; ++i)
    sum += call.block(((first + i) % call.size + call.size) % call.size);
  return sum;
}

// Pairs exchange, then alternate between their two neighbours with two blocks each time: P / 2
// steps, for even P. Else the ring.
bool neighbour_exchange(const Call& call, std::uint32_t step, Exchange& exchange) {
  const std::int32_t size = call.size;
  if (size % 2 != 0) return allgather_ring(call, step, exchange);
  if (step >= static_cast<std::uint32_t>(size / 2)) return false;
  const bool even = call.rank % 2 == 0;
  const std::int32_t direction = (even ? 1 : -1) * (step % 2 == 0 ? 1 : -1);
  exchange.send_to = exchange.receive_from = around(call.rank + direction, size);
  const std::int32_t pair = call.rank - call.rank % 2;
  exchange.send_bytes =
      step == 0
          ? blocks_bytes(call, call.rank, 1)
          : blocks_bytes(call, pair - direction * 2 * (static_cast<std::int32_t>(step) / 2), 2);
  return true;
}

// To rank 0, and the whole from there.
bool gather_broadcast(const Call& given, std::uint32_t step, Exchange& exchange) {
  Call call = given;
  call.root = 0;
  const auto first = static_cast<std::uint32_t>(call.size);
  if (step < first) {
    gather_linear(call, step, exchange);
    if (call.rank != 0 && step > 0) exchange = Exchange{};
    return true;
  }
  return from_root(Tree::binomial, call, step - first, exchange, blocks_bytes(call, 0, call.size));
}

constexpr Algorithm list[] = {
    {"ring", allgather_ring, "P - 1 steps: the block that came last goes on", {{{4}}}, "ring"},
    {"recursive_doubling",
     allgather_doubling,
     "log2 P exchanges of all blocks so far; Bruck when P is no power of two",
     {{{3}}},
     "recursive_doubling"},
    {"bruck", allgather_bruck, "ceil(log2 P) steps on any P", {{{2}}}, "brucks"},
    {"neighbour_exchange",
     neighbour_exchange,
     "P / 2 steps with two neighbours by turns; the ring when P is odd",
     {{{5, "neighbor"}}}},
    {"gather_broadcast", gather_broadcast, "to rank 0, and the whole from there"},
    hardware};

}  // namespace

bool allgather_ring(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (step + 1 >= static_cast<std::uint32_t>(call.size)) return false;
  exchange.send_to = around(call.rank + 1, call.size);
  exchange.receive_from = around(call.rank - 1, call.size);
  exchange.send_bytes = call.block(around(call.rank - static_cast<std::int32_t>(step), call.size));
  return true;
}

// On powers of two; else Bruck, as Open MPI does.
bool allgather_doubling(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (!is_power_of_two(call.size)) return allgather_bruck(call, step, exchange);
  if (step >= floor_log2(call.size)) return false;
  const std::int32_t distance = 1 << step;
  exchange.send_to = exchange.receive_from = call.rank ^ distance;
  exchange.send_bytes = blocks_bytes(call, call.rank & ~(distance - 1), distance);
  return true;
}

bool allgather_bruck(const Call& call, std::uint32_t step, Exchange& exchange) {
  const std::int64_t wide = std::int64_t{1} << step;
  if (wide >= call.size) return false;
  const auto distance = static_cast<std::int32_t>(wide);
  exchange.send_to = around(call.rank - distance, call.size);
  exchange.receive_from = around(call.rank + distance, call.size);
  exchange.send_bytes = blocks_bytes(call, call.rank, std::min(distance, call.size - distance));
  return true;
}

std::span<const Algorithm> allgathers() { return list; }

}  // namespace hakaru::replay::collectives
