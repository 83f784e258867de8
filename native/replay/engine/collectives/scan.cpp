#include "native/replay/engine/collectives/algorithm.hpp"

namespace hakaru::replay::collectives {

namespace {

bool linear(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (step == 0 && call.rank > 0) {
    exchange.receive_from = call.rank - 1;
    exchange.reduce_bytes = call.bytes;
  }
  if (step == 1 && call.rank + 1 < call.size) {
    exchange.send_to = call.rank + 1;
    exchange.send_bytes = call.bytes;
  }
  return step < 2;
}

// Step k: partial sums of groups of 2^k are exchanged with rank xor 2^k, where there is one.
bool doubling(const Call& call, std::uint32_t step, Exchange& exchange) {
  if (step >= ceiling_log2(call.size)) return false;
  const std::int32_t partner = call.rank ^ (1 << step);
  if (partner >= call.size) return true;
  exchange.send_to = exchange.receive_from = partner;
  exchange.send_bytes = exchange.reduce_bytes = call.bytes;
  return true;
}

constexpr Algorithm list[] = {
    {"linear", linear, "from rank to rank"},
    {"recursive_doubling", doubling, "step k: groups of 2^k exchange their sums"},
    hardware};

}  // namespace

std::span<const Algorithm> scans() { return list; }

}  // namespace hakaru::replay::collectives
