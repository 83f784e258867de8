#include "apps/ft/mover.hpp"

#include <cstring>

namespace hakaru::apps::ft {
namespace {

void copy(const Transfer& transfer, const std::byte* from, std::byte* to, bool packed_source,
          bool packed_target) {
  const auto bytes = static_cast<std::size_t>(transfer.item_bytes);
  for (std::int64_t item = 0; item < transfer.items; ++item) {
    const std::int64_t in =
        packed_source ? item * transfer.item_bytes : transfer.source + item * transfer.source_step;
    const std::int64_t out =
        packed_target ? item * transfer.item_bytes : transfer.target + item * transfer.target_step;
    std::memcpy(to + out, from + in, bytes);
  }
}

}  // namespace

Mover::Mover(const Plan& plan, const parallel::Communicator& world) : plan_(plan), world_(world) {
  std::size_t bytes = 0;
  for (int i = 0; i < arrays; ++i) {
    const auto array = static_cast<Array>(i);
    if (!used(plan, array)) continue;
    offsets_[i] = bytes;
    const auto size = static_cast<std::size_t>(slab_of(plan, array).most_elements());
    bytes += (size * sizeof(Complex) + 1023) / 1024 * 1024 + 192;
  }
  if (plan.method == Method::put) {
    exposed_.emplace(world, bytes, 1);
  } else {
    own_ = base::AlignedArray<std::byte>(bytes);
    if (world.size() > 1 || plan.style == Style::published) {
      const auto points = static_cast<std::size_t>(plan.grid.points()) / world.size();
      outgoing_.resize(points);
      incoming_.resize(points);
    }
  }
}

Complex* Mover::array(Array array) {
  std::byte* memory = exposed_ ? exposed_->memory() : own_.data();
  return reinterpret_cast<Complex*>(memory + offset(array));
}

void Mover::move(Array from, Array to) {
  if (plan_.method == Method::put)
    put(from, to);
  else
    exchange(from, to);
}

void Mover::put(Array from, Array to) {
  const Route route = route_of(slab_of(plan_, from), slab_of(plan_, to), plan_.style);
  world_.barrier();
  parallel::put_slab(*exposed_, route, offset(from), offset(to), arrived);
  if (plan_.style == Style::published) world_.barrier();
}

void Mover::fetch(Array from, Array to) {
  if (plan_.method == Method::alltoall) return exchange(from, to);
  const Route route = route_of(slab_of(plan_, from), slab_of(plan_, to), plan_.style);
  world_.barrier();
  parallel::get_slab(*exposed_, route, offset(from), offset(to), arrived);
  if (plan_.style == Style::published) world_.barrier();
}

void Mover::exchange(Array from, Array to) {
  const Route route = route_of(slab_of(plan_, from), slab_of(plan_, to), plan_.style);
  const int rank = world_.rank(), ranks = world_.size();
  const auto* source = reinterpret_cast<const std::byte*>(array(from));
  auto* target = reinterpret_cast<std::byte*>(array(to));
  auto* packed = reinterpret_cast<std::byte*>(outgoing_.data());
  for (int peer = 0; peer < ranks; ++peer)
    visit_pair(route, rank, peer, [&](const Transfer& t) {
      copy(t, source, packed, false, true);
      packed += t.bytes();
    });
  const int count = static_cast<int>(outgoing_.size() / static_cast<std::size_t>(ranks));
  HAKARU_MPI(MPI_Alltoall(outgoing_.data(), count, MPI_C_DOUBLE_COMPLEX, incoming_.data(), count,
                          MPI_C_DOUBLE_COMPLEX, world_.handle()));
  const auto* unpacked = reinterpret_cast<const std::byte*>(incoming_.data());
  for (int peer = 0; peer < ranks; ++peer)
    visit_pair(route, peer, rank, [&](const Transfer& t) {
      copy(t, unpacked, target, true, false);
      unpacked += t.bytes();
    });
}

}  // namespace hakaru::apps::ft
