#include "apps/sp/mover.hpp"

namespace hakaru::apps::sp {
namespace {

constexpr int arrived = 1;  // flag

parallel::Stride stride(std::int64_t item_bytes, std::int64_t items, std::int64_t step_bytes) {
  return {static_cast<std::size_t>(item_bytes), static_cast<std::size_t>(items),
          static_cast<std::size_t>(step_bytes)};
}

}  // namespace

Mover::Mover(const Plan& plan, const parallel::Communicator& world)
    : plan_(plan), world_(world), exposed_(world, lay_out(plan, offsets_), 1) {}

std::size_t Mover::lay_out(const Plan& plan,
                           std::array<std::array<std::size_t, arrays>, layouts>& offsets) {
  std::size_t bytes = 0;
  for (int l = 0; l < layouts; ++l)
    for (int a = 0; a < arrays; ++a) {
      const auto layout = static_cast<Layout>(l);
      const auto array = static_cast<Array>(a);
      if (!used(plan, layout, array)) continue;
      offsets[l][a] = bytes;
      const auto words = static_cast<std::size_t>(slab_of(plan, layout).most() * width(array));
      bytes += (words * sizeof(double) + 63) / 64 * 64 + 64;
    }
  return bytes;
}

double* Mover::array(Array array, Layout layout) {
  return exposed_.as<double>(offset(array, layout));
}

void Mover::move(Array array, Layout from, Layout to) {
  const Route route{slab_of(plan_, from), slab_of(plan_, to), plan_.style,
                    static_cast<std::int64_t>(sizeof(double)) * width(array)};
  const int rank = world_.rank(), ranks = world_.size();
  const auto* source = reinterpret_cast<const std::byte*>(this->array(array, from));
  world_.barrier();
  for (int k = 1; k <= ranks; ++k) {
    const int peer = (rank + k) % ranks;
    visit_pair(route, rank, peer, [&](const Transfer& t) {
      exposed_.put_stride(peer, offset(array, to) + static_cast<std::size_t>(t.target),
                          stride(t.item_bytes, t.items, t.target_step), source + t.source,
                          stride(t.item_bytes, t.items, t.source_step), {0, arrived});
    });
  }
  exposed_.wait_flag(arrived, static_cast<std::uint64_t>(received(route, rank)));
  if (plan_.style == Style::published) world_.barrier();
}

}  // namespace hakaru::apps::sp
