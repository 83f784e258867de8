#include "apps/sp/mover.hpp"

namespace hakaru::apps::sp {
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
      const auto words =
          static_cast<std::size_t>(slab_of(plan, layout).most_elements() * width(array));
      bytes += (words * sizeof(double) + 63) / 64 * 64 + 64;
    }
  return bytes;
}

double* Mover::array(Array array, Layout layout) {
  return exposed_.as<double>(offset(array, layout));
}

void Mover::move(Array array, Layout from, Layout to) {
  const Route route = route_of(slab_of(plan_, from), slab_of(plan_, to), plan_.style,
                               static_cast<std::int64_t>(sizeof(double)) * width(array));
  world_.barrier();
  parallel::put_slab(exposed_, route, offset(array, from), offset(array, to), arrived);
  if (plan_.style == Style::published) world_.barrier();
}

}  // namespace hakaru::apps::sp
