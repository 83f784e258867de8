#include <algorithm>

#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

// Bytes of the blocks of `blocks` ranks from v on, counted from the root.
std::uint64_t subtree_bytes(const Call& call, std::int32_t v, std::int32_t blocks) {
  const std::int32_t end = std::min(v + blocks, call.size);
  if (call.lengths == nullptr) return call.bytes * static_cast<std::uint64_t>(end - v);
  std::uint64_t sum = 0;
  for (std::int32_t i = v; i < end; ++i) sum += call.block(around(i + call.root, call.size));
  return sum;
}

std::int32_t lowest_bit(std::int32_t v, std::int32_t size) {
  return v != 0 ? (v & -v) : 1 << ceiling_log2(size);
}

// For long messages: the root asks each rank with an empty message before it sends.
bool gather_asked(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (call.rank == call.root) {
    const auto v = static_cast<std::int32_t>(step) + 1;
    if (v >= call.size) return false;
    exchange.send_to = exchange.receive_from = around(call.root + v, call.size);
    return true;
  }
  if (step == 0) exchange.receive_from = call.root;
  if (step == 1) {
    exchange.send_to = call.root;
    exchange.send_bytes = call.block(call.rank);
  }
  return step < 2;
}

}  // namespace

bool gather_linear(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (call.rank != call.root) {
    exchange.send_to = call.root;
    exchange.send_bytes = call.block(call.rank);
    return step < 1;
  }
  const auto v = static_cast<std::int32_t>(step) + 1;
  if (v >= call.size) return false;
  exchange.receive_from = around(call.root + v, call.size);
  return true;
}

bool scatter_linear(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (call.rank != call.root) {
    exchange.receive_from = call.root;
    return step < 1;
  }
  const auto v = static_cast<std::int32_t>(step) + 1;
  if (v >= call.size) return false;
  exchange.send_to = around(call.root + v, call.size);
  exchange.send_bytes = call.block(exchange.send_to);
  return true;
}

bool gather_binomial(const Call& call, std::uint32_t step, Exchange& exchange) {
  const std::int32_t v = around(call.rank - call.root, call.size);
  const std::int64_t mask = std::int64_t{1} << step;
  if (mask > lowest_bit(v, call.size) || (v == 0 && mask >= call.size)) return false;
  const auto distance = static_cast<std::int32_t>(mask);
  if (v != 0 && distance == lowest_bit(v, call.size)) {
    exchange.send_to = around(v - distance + call.root, call.size);
    exchange.send_bytes = subtree_bytes(call, v, distance);
  } else if (v + distance < call.size) {
    exchange.receive_from = around(v + distance + call.root, call.size);
  }
  return true;
}

bool scatter_binomial(const Call& call, std::uint32_t step, Exchange& exchange) {
  const std::int32_t v = around(call.rank - call.root, call.size);
  const std::int32_t top = lowest_bit(v, call.size);
  if (step == 0) {
    if (v != 0) exchange.receive_from = around(v - top + call.root, call.size);
    return true;
  }
  const std::int32_t distance = step < 31 ? top >> step : 0;
  if (distance == 0) return false;
  if (v + distance < call.size) {
    exchange.send_to = around(v + distance + call.root, call.size);
    exchange.send_bytes = subtree_bytes(call, v + distance, distance);
  }
  return true;
}

namespace {

constexpr Algorithm gather_list[] = {
    {"binomial", gather_binomial, "up a binomial tree, whole subtrees at a time"},
    {"linear", gather_linear, "everyone to the root"},
    {"linear_asked", gather_asked, "everyone to the root, which asks each with an empty message"},
    hardware};
constexpr Algorithm scatter_list[] = {
    {"binomial", scatter_binomial, "down a binomial tree, whole subtrees at a time"},
    {"linear", scatter_linear, "the root to everyone"},
    hardware};

}  // namespace

std::span<const Algorithm> gathers() { return gather_list; }
std::span<const Algorithm> scatters() { return scatter_list; }

}  // namespace hakaru::replay::collectives
