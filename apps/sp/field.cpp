#include "apps/sp/field.hpp"

#include <vector>

namespace hakaru::apps::sp {
namespace {

// body(index of a point, its coordinates) over own points, or over the inner ones.
template <typename Body>
void for_points(const Slab& slab, int rank, bool inner, const Body& body) {
  std::array<base::Share, 3> range;
  for (const Axis axis : {along_x, along_y, along_z})
    range[axis] = inner ? slab.inner(rank, axis) : base::Share{0, slab.count(rank, axis)};
  const double last = static_cast<double>(slab.n[along_x] - 1);
  const auto place = [&](Axis axis, std::int64_t i) {
    return static_cast<double>(slab.range(rank, axis).first + i) / last;
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < range[along_z].count; ++k)
    for (std::int64_t j = 0; j < range[along_y].count; ++j)
      for (std::int64_t i = 0; i < range[along_x].count; ++i) {
        const std::int64_t x = range[along_x].first + i, y = range[along_y].first + j,
                           z = range[along_z].first + k;
        body(x + y * slab.step(rank, along_y) + z * slab.step(rank, along_z), place(along_x, x),
             place(along_y, y), place(along_z, z));
      }
}

template <typename Term>
Sums sum(const Slab& slab, int rank, bool inner, const Term& term) {
  const std::int64_t plane = slab.step(rank, along_z);
  std::vector<Sums> planes(static_cast<std::size_t>(slab.count(rank, along_z)), Sums(components));
  for_points(slab, rank, inner, [&](std::int64_t at, double xi, double eta, double zeta) {
    const State value = term(at, xi, eta, zeta);
    for (int m = 0; m < components; ++m)
      planes[static_cast<std::size_t>(at / plane)][m].add(value[m] * value[m]);
  });
  Sums total(components);
  for (const Sums& own : planes)
    for (int m = 0; m < components; ++m) total[m].merge(own[m]);
  return total;
}

}  // namespace

void fill(const Slab& slab, int rank, State (*function)(double, double, double), double* values) {
  for_points(slab, rank, false, [&](std::int64_t at, double xi, double eta, double zeta) {
    const State state = function(xi, eta, zeta);
    std::copy(state.begin(), state.end(), values + components * at);
  });
}

void add(const Slab& slab, int rank, const double* update, double* state) {
  for_points(slab, rank, true, [&](std::int64_t at, double, double, double) {
    for (std::int64_t m = components * at; m < components * (at + 1); ++m) state[m] += update[m];
  });
}

Sums squared_errors(const Slab& slab, int rank, const double* state) {
  return sum(slab, rank, false, [&](std::int64_t at, double xi, double eta, double zeta) {
    State difference = exact(xi, eta, zeta);
    for (int m = 0; m < components; ++m) difference[m] = state[components * at + m] - difference[m];
    return difference;
  });
}

Sums squares(const Slab& slab, int rank, const double* update) {
  return sum(slab, rank, true, [&](std::int64_t at, double, double, double) {
    State value;
    std::copy_n(update + components * at, components, value.begin());
    return value;
  });
}

}  // namespace hakaru::apps::sp
