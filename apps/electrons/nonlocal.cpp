#include "apps/electrons/nonlocal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/electrons/fourier.hpp"

namespace hakaru::apps::electrons {
namespace {

constexpr double no_radius = 0.0;

// sum_G exp(iG(r - R)) p(|G|) (-i)^l Y_lm(G) / volume on the grid.
std::vector<double> band_limited(const CellGrid& grid, const Fourier& fourier, const Vector& place,
                                 const Channel& channel, int radial, int m) {
  const Complex turn = channel.l == 0 ? Complex(1.0, 0.0) : Complex(0.0, -1.0);
  std::vector<Complex> values(grid.size());
  for_each_g(grid, [&](std::size_t at, const Vector& any_sign) {
    const double length = std::sqrt(dot(any_sign, any_sign)),
                 inverse = length > 0.0 ? 1.0 / length : 0.0;
    const Complex size = turn * (projector_of_g(channel, radial, length) / grid.volume());
    values[at] = mean_over_edges(grid, any_sign, [&](const Vector& g) {
      return size * harmonic(channel.l, m, g[0] * inverse, g[1] * inverse, g[2] * inverse) *
             std::polar(1.0, -dot(g, place));
    });
  });
  fourier.backward(values.data());
  std::vector<double> result(grid.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = values[i].real();
  return result;
}

// Eigenvalues and rotation (cosine, sine) of the symmetric coupling of a channel.
struct Diagonal {
  double value[2], cosine, sine;
};

Diagonal diagonalise(const Channel& channel) {
  const auto& h = channel.coupling;
  if (channel.count == 1) return {{h[0][0], 0.0}, 1.0, 0.0};
  const double angle = 0.5 * std::atan2(2.0 * h[0][1], h[0][0] - h[1][1]);
  const double c = std::cos(angle), s = std::sin(angle);
  return {{c * c * h[0][0] + 2 * c * s * h[0][1] + s * s * h[1][1],
           s * s * h[0][0] - 2 * c * s * h[0][1] + c * c * h[1][1]},
          c,
          s};
}

void add_channel(Sphere& sphere, const CellGrid& grid, const Fourier& fourier, const Vector& place,
                 const Channel& channel) {
  const Diagonal diagonal = diagonalise(channel);
  for (int m = 0; m <= 2 * channel.l; ++m) {
    std::vector<double> first = band_limited(grid, fourier, place, channel, 0, m);
    if (channel.count == 1) {
      add_projector(sphere, grid, first, diagonal.value[0]);
      continue;
    }
    std::vector<double> second = band_limited(grid, fourier, place, channel, 1, m);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const double a = first[i], b = second[i];
      first[i] = diagonal.cosine * a + diagonal.sine * b;
      second[i] = -diagonal.sine * a + diagonal.cosine * b;
    }
    add_projector(sphere, grid, first, diagonal.value[0]);
    add_projector(sphere, grid, second, diagonal.value[1]);
  }
}

// Numbers of a thread for all projectors.
Complex* products_of(std::size_t projectors) {
  static thread_local std::vector<Complex> products;
  products.resize(std::max(products.size(), projectors));
  return products.data();
}

}  // namespace

Nonlocal::Nonlocal(const Crystal& crystal, const CellGrid& grid, double reach, Variant variant)
    : cell_volume_(grid.cell_volume()), variant_(variant) {
  const Fourier fourier(grid.points);
  std::vector<int> species_of;  // each sphere
  for (const Atom& atom : crystal.atoms) {
    const Pseudopotential& species = crystal.of(atom);
    if (species.widest() == no_radius) continue;
    Covered covered = cover(grid, atom.place, reach * species.widest());
    std::size_t which = 0;
    while (which < spheres_.size() &&
           !(species_of[which] == atom.species && alike(spheres_[which], covered.sphere)))
      ++which;
    if (which == spheres_.size()) {
      for (const Channel& channel : species.channels)
        add_channel(covered.sphere, grid, fourier, atom.place, channel);
      spheres_.push_back(std::move(covered.sphere));
      species_of.push_back(atom.species);
    }
    std::size_t phases = 0;
    for (std::size_t i = 0; i < which; ++i) phases += spheres_[i].phase_numbers();
    sites_.push_back({which, phases, std::move(covered.windows)});
    projectors_ += spheres_[which].projectors();
  }
  // Atoms that share tables follow each other.
  std::stable_sort(sites_.begin(), sites_.end(),
                   [](const Site& a, const Site& b) { return a.sphere < b.sphere; });
}

projection::Site Nonlocal::at(const Site& site, const Phases& phases) const {
  return {spheres_[site.sphere], site.windows.data(), phases.data() + site.phases};
}

void Nonlocal::set_phases(const Vector& k, Phases& phases) const {
  std::size_t numbers = 0;
  for (const Sphere& sphere : spheres_) numbers += sphere.phase_numbers();
  phases.resize(numbers);
  double* to = phases.data();
  for (const Sphere& sphere : spheres_) {
    electrons::set_phases(sphere, k, to);
    to += sphere.phase_numbers();
  }
}

// The next atom is projected before one is added, so that its sums need not be waited for.
void Nonlocal::add(const Phases& phases, const Complex* in, Complex* out) const {
  Complex* ahead = products_of(projectors_);
  const Complex* products = ahead;
  const auto project = [&](const Site& site) {
    projection::project(at(site, phases), in, ahead, variant_);
    for (const double strength : spheres_[site.sphere].strength) *ahead++ *= strength;
  };
  if (!sites_.empty()) project(sites_.front());
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    if (i + 1 < sites_.size()) project(sites_[i + 1]);
    projection::add(at(sites_[i], phases), products, out, variant_);
    products += spheres_[sites_[i].sphere].projectors();
  }
}

// dE/dK = -2 Im sum_p conj<P|u> d <P|(r-R) u> = 2 sum (r-R) Im conj(u) w with w = sum_p P d <P|u>.
Nonlocal::Expectation Nonlocal::expectation(const Phases& phases, const Complex* in) const {
  Expectation result;
  Complex* products = products_of(projectors_);
  for (const Site& site : sites_) {
    const projection::Site here = at(site, phases);
    const auto& strength = spheres_[site.sphere].strength;
    projection::project(here, in, products, variant_);
    for (std::size_t p = 0; p < strength.size(); ++p) {
      result.energy += cell_volume_ * strength[p] * std::norm(products[p]);
      products[p] *= strength[p];
    }
    const Vector moments = projection::moments(here, products, in, variant_);
    for (int d = 0; d < 3; ++d) result.current[d] += 2.0 * cell_volume_ * moments[d];
  }
  return result;
}

NonlocalCount Nonlocal::count() const {
  NonlocalCount count;
  for (const Site& site : sites_) {
    const Sphere& sphere = spheres_[site.sphere];
    count.projectors += double(sphere.projectors());
    count.points += double(sphere.points);
    count.projector_points += double(sphere.points * sphere.projectors());
  }
  return count;
}

NonlocalCount count_nonlocal(const Crystal& crystal, const CellGrid& grid, double reach) {
  NonlocalCount count;
  for (const Atom& atom : crystal.atoms) {
    const Pseudopotential& species = crystal.of(atom);
    if (species.widest() == no_radius) continue;
    double projectors = 0.0;
    for (const Channel& channel : species.channels)
      projectors += channel.count * (2 * channel.l + 1);
    const double points = double(points_within(grid, atom.place, reach * species.widest()));
    count.projectors += projectors, count.points += points;
    count.projector_points += projectors * points;
  }
  return count;
}

}  // namespace hakaru::apps::electrons
