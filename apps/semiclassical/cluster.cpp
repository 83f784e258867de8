#include "apps/semiclassical/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "apps/semiclassical/model.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::semiclassical {
namespace {

using Point = std::array<double, 3>;
constexpr double nearest = 1.1;         // near the minimum of a pair, 2^(1/6)
constexpr double least_distance = 0.5;  // V = 16128 there: no atoms of a cluster
constexpr int most_relaxations = 200'000;

std::vector<Point> icosahedron() {
  std::vector<Point> points{{0.0, 0.0, 0.0}, {0.0, 0.0, nearest}};
  const double z = nearest / std::sqrt(5.0), radius = 2.0 * z;
  for (const int side : {1, -1})
    for (int i = 0; i < 5; ++i) {
      const double angle = std::numbers::pi * (2.0 * i + (side < 0 ? 1.0 : 0.0)) / 5.0;
      points.push_back({radius * std::cos(angle), radius * std::sin(angle), side * z});
    }
  points.push_back({0.0, 0.0, -nearest});
  return points;
}

std::vector<Point> crystal(int atoms) {
  const double half = nearest / std::sqrt(2.0);
  const int reach = 2 + static_cast<int>(std::cbrt(atoms));
  std::vector<Point> points;
  for (int x = -reach; x <= reach; ++x)
    for (int y = -reach; y <= reach; ++y)
      for (int z = -reach; z <= reach; ++z)
        if ((x + y + z) % 2 == 0) points.push_back({half * x, half * y, half * z});
  const auto from_centre = [](const Point& p) { return p[0] * p[0] + p[1] * p[1] + p[2] * p[2]; };
  std::ranges::stable_sort(points, {}, from_centre);
  return points;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw base::UserError(
      base::ExitCode::usage,
      base::explain("cannot use the cluster " + path, why,
                    "give the number of atoms, a comment, and a line `symbol x y z` an atom, in "
                    "units of sigma"));
}

double coordinate(const std::string& path, const std::string& word) {
  std::size_t used = 0;
  double value = NAN;
  try {
    value = std::stod(word, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != word.size() || !std::isfinite(value))
    refuse(path, fmt::format("'{}' is not a finite number", word));
  return value;
}

void require_apart(const std::string& path, const std::vector<double>& q) {
  for (std::size_t a = 0; a < q.size(); a += 3)
    for (std::size_t b = 0; b < a; b += 3)
      if (std::hypot(q[a] - q[b], q[a + 1] - q[b + 1], q[a + 2] - q[b + 2]) < least_distance)
        refuse(path, fmt::format("atoms {} and {} overlap", b / 3 + 1, a / 3 + 1));
}

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

}  // namespace

std::vector<double> cluster_of(int atoms) {
  const std::vector<Point> points = atoms <= 13 ? icosahedron() : crystal(atoms);
  std::vector<double> q;
  for (int i = 0; i < atoms; ++i) q.insert(q.end(), points[i].begin(), points[i].end());
  return q;
}

std::vector<double> read_cluster(const std::string& path) {
  std::istringstream lines(base::read_file(path));
  std::string line, symbol, word;
  int atoms = 0;
  if (!std::getline(lines, line) || !(std::istringstream(line) >> atoms) || atoms < 2)
    refuse(path, "its first line is not a number of at least two atoms");
  std::getline(lines, line);
  std::vector<double> q;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    if (!(words >> symbol)) continue;
    for (int i = 0; i < 3; ++i) {
      if (!(words >> word)) refuse(path, fmt::format("'{}' has no three coordinates", line));
      q.push_back(coordinate(path, word));
    }
  }
  if (q.size() != 3 * static_cast<std::size_t>(atoms))
    refuse(path, fmt::format("line 1 says {} atoms, and there are {}", atoms, q.size() / 3));
  require_apart(path, q);
  return q;
}

// Fast inertial relaxation (Bitzek et al., Phys. Rev. Lett. 97, 170201 (2006)).
std::vector<double> relaxed(std::vector<double> q) {
  const Model model{Potential::lennard_jones, static_cast<int>(q.size()), 0.0, 0.0, 0.0};
  std::vector<double> velocity(q.size()), slope(q.size());
  double time = 0.002, mixing = 0.1;
  int downhill = 0;
  energy_of(model, q.data(), slope.data());
  for (int i = 0; i < most_relaxations && largest(slope) > 1e-11; ++i) {
    double power = 0.0, speed2 = 0.0, slope2 = 0.0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      power -= slope[k] * velocity[k];
      speed2 += velocity[k] * velocity[k], slope2 += slope[k] * slope[k];
    }
    const double turn = mixing * std::sqrt(speed2 / slope2);
    if (power > 0.0) {
      for (std::size_t k = 0; k < q.size(); ++k)
        velocity[k] = (1.0 - mixing) * velocity[k] - turn * slope[k];
      if (++downhill > 5) time = std::min(1.1 * time, 0.02), mixing *= 0.99;
    } else {
      std::ranges::fill(velocity, 0.0);
      downhill = 0, time *= 0.5, mixing = 0.1;
    }
    for (std::size_t k = 0; k < q.size(); ++k) {
      velocity[k] -= time * slope[k];
      q[k] += time * velocity[k];
    }
    energy_of(model, q.data(), slope.data());
  }
  base::require(largest(slope) <= 1e-11, "the cluster has no local minimum near its beginning",
                "its forces do not vanish by going downhill", "give another geometry");
  return q;
}

}  // namespace hakaru::apps::semiclassical
