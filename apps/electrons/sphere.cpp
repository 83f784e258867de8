#include "apps/electrons/sphere.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hakaru::apps::electrons {
namespace {

// Distances that differ by less are the same, bohr.
constexpr double same_distance = 1e-9;

double nearest_image(double distance, double length) {
  return distance - length * std::round(distance / length);
}

std::vector<double> distances(const CellGrid& grid, int axis, double place) {
  std::vector<double> result(grid.points[axis]);
  for (int i = 0; i < grid.points[axis]; ++i)
    result[i] = nearest_image(i * grid.spacing(axis) - place, grid.lengths[axis]);
  return result;
}

// Calls run(first, last) for every run of neighbouring points within the radius.
template <typename Run>
void for_runs(const CellGrid& grid, const Vector& place, double radius, Run&& run) {
  std::vector<double> squares[3];
  for (int d = 0; d < 3; ++d) {
    squares[d] = distances(grid, d, place[d]);
    for (double& value : squares[d]) value *= value;
  }
  std::size_t at = 0, first = 0;
  bool open = false;
  for (const double x : squares[0])
    for (const double y : squares[1])
      for (const double z : squares[2]) {
        const bool within = x + y + z <= radius * radius;
        if (within && !open) first = at;
        if (!within && open) run(first, at);
        open = within, ++at;
      }
  if (open) run(first, at);
}

// From lines of the cache where that takes no more windows, and never beyond the grid.
void add_windows(std::size_t first, std::size_t last, std::size_t size,
                 std::vector<std::uint32_t>& windows) {
  const auto count = [last](std::size_t from) { return (last - from - 1) / window_points + 1; };
  std::size_t from = first - first % window_points;
  if (count(from) > count(first)) from = first;
  for (; from < last; from += window_points)
    windows.push_back(static_cast<std::uint32_t>(std::min(from, size - window_points)));
}

bool before(const Vector& a, const Vector& b) {
  for (int d = 0; d < 3; ++d)
    if (std::abs(a[d] - b[d]) > same_distance) return a[d] < b[d];
  return false;
}

std::size_t point_of(const std::vector<std::uint32_t>& windows, std::size_t entry) {
  const std::size_t block = entry / block_points, within = entry % block_points;
  return windows[block * block_windows + within % block_windows] + within / block_windows;
}

}  // namespace

Covered cover(const CellGrid& grid, const Vector& place, double radius) {
  Covered result;
  Sphere& sphere = result.sphere;
  auto& windows = result.windows;
  for (int d = 0; d < 3; ++d) sphere.distance[d] = distances(grid, d, place[d]);
  std::vector<char> within(grid.size(), 0);
  const std::size_t n1 = grid.points[1], n2 = grid.points[2];
  struct Run {
    std::size_t first, last;
    Vector from_atom;  // of the first point
  };
  std::vector<Run> runs;
  for_runs(grid, place, radius, [&](std::size_t first, std::size_t last) {
    std::fill(within.begin() + first, within.begin() + last, 1);
    sphere.points += last - first;
    runs.push_back({first,
                    last,
                    {sphere.distance[0][first / (n1 * n2)], sphere.distance[1][first / n2 % n1],
                     sphere.distance[2][first % n2]}});
  });
  // The same order for all atoms that lie alike, also where the grid's end cuts the sphere.
  std::sort(runs.begin(), runs.end(),
            [](const Run& a, const Run& b) { return before(a.from_atom, b.from_atom); });
  for (const Run& run : runs) add_windows(run.first, run.last, grid.size(), windows);
  while (windows.size() % block_windows != 0) windows.push_back(windows.front());
  sphere.blocks = windows.size() / block_windows;
  for (std::size_t entry = 0; entry < sphere.entries(); ++entry) {
    const std::size_t point = point_of(windows, entry);
    // Windows may overlap, but every point counts once.
    const bool inside = std::exchange(within[point], 0) != 0;
    const std::array<std::uint32_t, 3> at = {std::uint32_t(point / (n1 * n2)),
                                             std::uint32_t(point / n2 % n1),
                                             std::uint32_t(point % n2)};
    sphere.inside.push_back(inside);
    sphere.place.push_back(at);
    sphere.x.push_back(inside ? sphere.distance[0][at[0]] : 0.0);
    sphere.y.push_back(inside ? sphere.distance[1][at[1]] : 0.0);
    sphere.z.push_back(inside ? sphere.distance[2][at[2]] : 0.0);
  }
  return result;
}

std::size_t points_within(const CellGrid& grid, const Vector& place, double radius) {
  std::size_t points = 0;
  for_runs(grid, place, radius,
           [&points](std::size_t first, std::size_t last) { points += last - first; });
  return points;
}

bool alike(const Sphere& a, const Sphere& b) {
  if (a.points != b.points || a.blocks != b.blocks || a.inside != b.inside) return false;
  for (const auto values : {&Sphere::x, &Sphere::y, &Sphere::z})
    if (!std::equal((a.*values).begin(), (a.*values).end(), (b.*values).begin(),
                    [](double p, double q) { return std::abs(p - q) < same_distance; }))
      return false;
  return true;
}

void add_projector(Sphere& sphere, const CellGrid& grid, const std::vector<double>& on_grid,
                   double strength) {
  const std::size_t before = sphere.projectors(), after = before + 1;
  const double scale = std::sqrt(grid.cell_volume());
  LineVector<double> values(sphere.entries() * after);
  for (std::size_t block = 0; block < sphere.blocks; ++block) {
    double* to = values.data() + block * block_points * after;
    std::copy_n(sphere.values.begin() + block * block_points * before, block_points * before, to);
    for (std::size_t i = 0; i < block_points; ++i) {
      const std::size_t entry = block * block_points + i;
      const auto& at = sphere.place[entry];
      to[block_points * before + i] =
          sphere.inside[entry] ? scale * on_grid[grid.index(int(at[0]), int(at[1]), int(at[2]))]
                               : 0.0;
    }
  }
  sphere.values.swap(values);
  sphere.strength.push_back(strength);
}

void set_phases(const Sphere& sphere, const Vector& k, double* phases) {
  std::vector<Complex> along[3];
  for (int d = 0; d < 3; ++d)
    for (const double distance : sphere.distance[d])
      along[d].push_back(std::polar(1.0, -k[d] * distance));
  for (std::size_t block = 0; block < sphere.blocks; ++block, phases += 2 * block_points)
    for (std::size_t i = 0; i < block_points; ++i) {
      const auto& at = sphere.place[block * block_points + i];
      const Complex &x = along[0][at[0]], &y = along[1][at[1]], &z = along[2][at[2]];
      const double re = x.real() * y.real() - x.imag() * y.imag(),
                   im = x.real() * y.imag() + x.imag() * y.real();
      phases[i] = re * z.real() - im * z.imag();
      phases[block_points + i] = re * z.imag() + im * z.real();
    }
}

}  // namespace hakaru::apps::electrons
