#include "apps/tomcatv/halo.hpp"

namespace hakaru::apps::tomcatv {
namespace {

constexpr int arrived = 1;  // flag

std::size_t bytes_of(const Plan& plan) {
  const Columns columns{plan.n, plan.ranks};
  return static_cast<std::size_t>(plan.n * columns.pitch()) * sizeof(double);
}

}  // namespace

Halo::Halo(const Plan& plan, const parallel::Communicator& world)
    : plan_(plan), world_(world), bytes_(bytes_of(plan)), exposed_(world, 2 * bytes_, 1) {}

double* Halo::coordinate(int which) {
  return exposed_.as<double>(static_cast<std::size_t>(which) * bytes_);
}

void Halo::put(int neighbour, int which, std::int64_t own_column, std::int64_t their_column) {
  const Columns columns{plan_.n, plan_.ranks};
  const parallel::Stride column{sizeof(double), static_cast<std::size_t>(plan_.n),
                                static_cast<std::size_t>(columns.pitch()) * sizeof(double)};
  exposed_.put_stride(neighbour,
                      static_cast<std::size_t>(which) * bytes_ +
                          static_cast<std::size_t>(their_column) * sizeof(double),
                      column, coordinate(which) + own_column, column, {0, arrived});
}

void Halo::exchange(int count, int which) {
  const Columns columns{plan_.n, plan_.ranks};
  const int rank = world_.rank(), left = columns.left(rank), right = columns.right(rank);
  if (plan_.style == Style::published) world_.barrier();
  for (int coordinate = which; coordinate < which + count; ++coordinate) {
    if (left >= 0) put(left, coordinate, 1, columns.count(left) + 1);
    if (right >= 0) put(right, coordinate, columns.count(rank), 0);
  }
  const int expected = count * ((left >= 0) + (right >= 0));
  if (expected > 0) exposed_.wait_flag(arrived, static_cast<std::uint64_t>(expected));
  if (plan_.style == Style::published) world_.barrier();
}

}  // namespace hakaru::apps::tomcatv
