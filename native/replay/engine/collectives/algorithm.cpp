#include "native/replay/engine/collectives/algorithm.hpp"

#include <algorithm>
#include <bit>

#include "native/base/require.hpp"
#include "native/schedule/schedule.hpp"

namespace hakaru::replay {

using schedule::Collective;

std::span<const Algorithm> algorithms(Collective what) {
  switch (what) {
    case Collective::barrier:
      return collectives::barriers();
    case Collective::broadcast:
      return collectives::broadcasts();
    case Collective::reduce:
      return collectives::reduces();
    case Collective::allreduce:
      return collectives::allreduces();
    case Collective::gather:
      return collectives::gathers();
    case Collective::scatter:
      return collectives::scatters();
    case Collective::allgather:
      return collectives::allgathers();
    case Collective::alltoall:
      return collectives::alltoalls();
    case Collective::reduce_scatter:
      return collectives::reduce_scatters();
    case Collective::scan:
    case Collective::exclusive_scan:
      return collectives::scans();
    case Collective::neighbour_exchange:
      return collectives::neighbour_exchanges();
  }
  throw base::UserError(base::ExitCode::usage, "the schedule has an unknown collective");
}

const char* mpi_name(Collective what) {
  return what == Collective::broadcast ? "bcast" : schedule::name_of(what);
}

const Algorithm* find_algorithm(Collective what, const std::string& name) {
  for (const Algorithm& one : algorithms(what))
    if (name == one.name) return &one;
  return nullptr;
}

namespace collectives {

std::int32_t floor_power_of_two(std::int32_t n) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(n)));
}
std::uint32_t floor_log2(std::int32_t n) {
  return static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(n)) - 1);
}
std::uint32_t ceiling_log2(std::int32_t n) {
  return n <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(n - 1)));
}

Fold::Fold(std::int32_t rank_, std::int32_t size)
    : power(floor_power_of_two(size)),
      extra(size - power),
      rank(rank_ >= 2 * extra ? rank_ - extra
           : (rank_ & 1) == 1 ? rank_ / 2
                              : -1),
      log2_power(floor_log2(size)) {}

FoldStep fold_step(const Call& call, const Fold& fold, std::uint32_t step,
                   std::uint32_t inner_steps, std::uint64_t bytes, std::uint64_t reduce_bytes,
                   Exchange& exchange) {
  if (fold.rank < 0) {
    exchange.send_bytes = bytes;
    if (step == 0) exchange.send_to = call.rank + 1;
    if (step == 1) exchange.receive_from = call.rank + 1;
    return {step < 2 ? FoldStep::Part::outer : FoldStep::Part::none, 0};
  }
  const bool folded = fold.acts_for_another(call.rank);
  if (folded && step == 0) {
    exchange.receive_from = call.rank - 1;
    exchange.reduce_bytes = reduce_bytes;
    return {FoldStep::Part::outer, 0};
  }
  const std::uint32_t inner = folded ? step - 1 : step;
  if (inner < inner_steps) return {FoldStep::Part::inner, inner};
  if (!folded || inner > inner_steps) return {FoldStep::Part::none, 0};
  exchange.send_to = call.rank - 1;
  exchange.send_bytes = bytes;
  return {FoldStep::Part::last, 0};
}

bool recursive_doubling(const Call& call, std::uint32_t step, Exchange& exchange,
                        std::uint64_t bytes, std::uint64_t reduce_bytes) {
  const Fold fold(call.rank, call.size);
  const FoldStep at = fold_step(call, fold, step, fold.log2_power, bytes, reduce_bytes, exchange);
  if (at.part != FoldStep::Part::inner) return at.part != FoldStep::Part::none;
  exchange.send_to = exchange.receive_from = fold.real(fold.rank ^ (1 << at.inner));
  exchange.send_bytes = bytes;
  exchange.reduce_bytes = reduce_bytes;
  return true;
}

bool halving_step(const Fold& fold, std::uint64_t bytes, std::uint32_t k, Exchange& exchange) {
  exchange.send_to = exchange.receive_from = fold.real(fold.rank ^ (1 << k));
  exchange.send_bytes = exchange.reduce_bytes = bytes >> (k + 1);
  return true;
}

}  // namespace collectives
}  // namespace hakaru::replay
