#include "apps/electrons/nonlocal.hpp"

#include <cmath>
#include <cstring>
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
  for_each_g(grid, [&](std::size_t at, const Vector& g) {
    const double length = std::sqrt(dot(g, g)), inverse = length > 0.0 ? 1.0 / length : 0.0;
    const double angle = harmonic(channel.l, m, g[0] * inverse, g[1] * inverse, g[2] * inverse);
    values[at] = turn * (angle * projector_of_g(channel, radial, length) / grid.volume()) *
                 std::polar(1.0, -dot(g, place));
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

double nearest_image(double distance, double length) {
  return distance - length * std::round(distance / length);
}

Sphere points_around(const CellGrid& grid, const Vector& place, double radius) {
  Sphere sphere;
  for (int i = 0; i < grid.points[0]; ++i)
    for (int j = 0; j < grid.points[1]; ++j)
      for (int k = 0; k < grid.points[2]; ++k) {
        const Vector x{nearest_image(i * grid.spacing(0) - place[0], grid.lengths[0]),
                       nearest_image(j * grid.spacing(1) - place[1], grid.lengths[1]),
                       nearest_image(k * grid.spacing(2) - place[2], grid.lengths[2])};
        if (dot(x, x) > radius * radius) continue;
        sphere.index.push_back(static_cast<std::uint32_t>(grid.index(i, j, k)));
        sphere.x.push_back(x[0]), sphere.y.push_back(x[1]), sphere.z.push_back(x[2]);
      }
  sphere.points = sphere.index.size();
  while (sphere.index.size() % Sphere::vector_points != 0) {
    sphere.index.push_back(sphere.index.front());
    for (auto* values : {&sphere.x, &sphere.y, &sphere.z}) values->push_back(0.0);
  }
  return sphere;
}

void add_projector(Sphere& sphere, const std::vector<double>& whole, double strength, double dv) {
  for (std::size_t i = 0; i < sphere.padded(); ++i)
    sphere.values.push_back(i < sphere.points ? whole[sphere.index[i]] * std::sqrt(dv) : 0.0);
  sphere.strength.push_back(strength);
}

void add_channel(Sphere& sphere, const CellGrid& grid, const Fourier& fourier, const Vector& place,
                 const Channel& channel) {
  const double dv = grid.cell_volume();
  const Diagonal diagonal = diagonalise(channel);
  for (int m = 0; m <= 2 * channel.l; ++m) {
    std::vector<double> first = band_limited(grid, fourier, place, channel, 0, m);
    if (channel.count == 1) {
      add_projector(sphere, first, diagonal.value[0], dv);
      continue;
    }
    std::vector<double> second = band_limited(grid, fourier, place, channel, 1, m);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const double a = first[i], b = second[i];
      first[i] = diagonal.cosine * a + diagonal.sine * b;
      second[i] = -diagonal.sine * a + diagonal.cosine * b;
    }
    add_projector(sphere, first, diagonal.value[0], dv);
    add_projector(sphere, second, diagonal.value[1], dv);
  }
}

// Buffers of a thread for the points of one sphere.
struct Gathered {
  std::vector<double> real, imaginary, sum_real, sum_imaginary;
  std::vector<Complex> whole;
  void resize(std::size_t points) {
    if (real.size() >= points) return;
    for (auto* values : {&real, &imaginary, &sum_real, &sum_imaginary}) values->resize(points);
    whole.resize(points);
  }
};

Gathered& buffers(std::size_t points) {
  static thread_local Gathered gathered;
  gathered.resize(points);
  return gathered;
}

// exp(iK(r - R)) u at the points; `phases` hold exp(-iK(r - R)). Points are copied whole first:
// reads of 16 B are much cheaper than gathering real and imaginary parts by index.
void gather(const Sphere& sphere, const double* phases, const Complex* in, Gathered& g) {
  const std::size_t points = sphere.padded();
  const std::uint32_t* index = sphere.index.data();
  Complex* whole = g.whole.data();
  for (std::size_t i = 0; i < points; ++i) std::memcpy(whole + i, in + index[i], sizeof(Complex));
  const double *cosine = phases, *sine = phases + points;
  const double* u = reinterpret_cast<const double*>(whole);
  double *re = g.real.data(), *im = g.imaginary.data();
#pragma omp simd
  for (std::size_t i = 0; i < points; ++i) {
    const double real = u[2 * i], imaginary = u[2 * i + 1];
    re[i] = cosine[i] * real + sine[i] * imaginary;
    im[i] = cosine[i] * imaginary - sine[i] * real;
  }
}

// w = sum_p p d <p|g> for `Count` projectors at once, so that g is read once and w written once;
// returns <g|w>. Sums are kept in lanes, which the compiler takes for a vector.
template <int Count>
double project_some(const double* values, const double* strength, std::size_t points, bool add,
                    Gathered& g) {
  constexpr std::size_t lanes = Sphere::vector_points;
  const double *re = g.real.data(), *im = g.imaginary.data();
  double *out_re = g.sum_real.data(), *out_im = g.sum_imaginary.data();
  double real[Count][lanes] = {}, imaginary[Count][lanes] = {};
  for (std::size_t i = 0; i < points; i += lanes)
    for (int p = 0; p < Count; ++p) {
      const double* value = values + p * points + i;
#pragma omp simd
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        real[p][lane] += value[lane] * re[i + lane];
        imaginary[p][lane] += value[lane] * im[i + lane];
      }
    }
  double factor_re[Count], factor_im[Count], energy = 0.0;
  for (int p = 0; p < Count; ++p) {
    double sum_re = 0.0, sum_im = 0.0;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      sum_re += real[p][lane], sum_im += imaginary[p][lane];
    energy += strength[p] * (sum_re * sum_re + sum_im * sum_im);
    factor_re[p] = strength[p] * sum_re, factor_im[p] = strength[p] * sum_im;
  }
  const double keep = add ? 1.0 : 0.0;
#pragma omp simd
  for (std::size_t i = 0; i < points; ++i) {
    double w_re = add ? keep * out_re[i] : 0.0, w_im = add ? keep * out_im[i] : 0.0;
    for (int p = 0; p < Count; ++p) {
      w_re += values[p * points + i] * factor_re[p];
      w_im += values[p * points + i] * factor_im[p];
    }
    out_re[i] = w_re, out_im[i] = w_im;
  }
  return energy;
}

double project(const Sphere& sphere, Gathered& g) {
  const std::size_t points = sphere.padded();
  double energy = 0.0;
  for (std::size_t p = 0; p < sphere.projectors();) {
    const double *values = sphere.values.data() + p * points, *d = sphere.strength.data() + p;
    const std::size_t left = sphere.projectors() - p;
    if (left >= 5)
      energy += project_some<5>(values, d, points, p > 0, g), p += 5;
    else if (left >= 3)
      energy += project_some<3>(values, d, points, p > 0, g), p += 3;
    else
      energy += project_some<1>(values, d, points, p > 0, g), p += 1;
  }
  return energy;
}

void scatter(const Sphere& sphere, const double* phases, Gathered& g, Complex* out) {
  const std::size_t points = sphere.padded();
  const double *cosine = phases, *sine = phases + points;
  const double *re = g.sum_real.data(), *im = g.sum_imaginary.data();
  double* u = reinterpret_cast<double*>(g.whole.data());
#pragma omp simd
  for (std::size_t i = 0; i < points; ++i) {
    u[2 * i] = cosine[i] * re[i] - sine[i] * im[i];
    u[2 * i + 1] = cosine[i] * im[i] + sine[i] * re[i];
  }
  for (std::size_t i = 0; i < sphere.points; ++i) out[sphere.index[i]] += g.whole[i];
}

}  // namespace

Nonlocal::Nonlocal(const Crystal& crystal, const CellGrid& grid, double reach)
    : cell_volume_(grid.cell_volume()) {
  const Fourier fourier(grid.points);
  for (const Atom& atom : crystal.atoms) {
    const Pseudopotential& species = crystal.of(atom);
    if (species.widest() == no_radius) continue;
    Sphere sphere = points_around(grid, atom.place, reach * species.widest());
    for (const Channel& channel : species.channels)
      add_channel(sphere, grid, fourier, atom.place, channel);
    phase_numbers_ += 2 * sphere.padded();
    spheres_.push_back(std::move(sphere));
  }
}

void Nonlocal::set_phases(const Vector& k, double* phases) const {
  for (const Sphere& sphere : spheres_) {
    const std::size_t points = sphere.padded();
    for (std::size_t i = 0; i < points; ++i) {
      const double angle = k[0] * sphere.x[i] + k[1] * sphere.y[i] + k[2] * sphere.z[i];
      phases[i] = std::cos(angle), phases[points + i] = -std::sin(angle);
    }
    phases += 2 * points;
  }
}

void Nonlocal::add(const double* phases, const Complex* in, Complex* out) const {
  for (const Sphere& sphere : spheres_) {
    Gathered& g = buffers(sphere.padded());
    gather(sphere, phases, in, g);
    project(sphere, g);
    scatter(sphere, phases, g, out);
    phases += 2 * sphere.padded();
  }
}

// dE/dK = -2 Im sum (r - R) conj(w) g, with g and w as above.
Nonlocal::Expectation Nonlocal::expectation(const double* phases, const Complex* in) const {
  Expectation result;
  for (const Sphere& sphere : spheres_) {
    Gathered& g = buffers(sphere.padded());
    gather(sphere, phases, in, g);
    result.energy += cell_volume_ * project(sphere, g);
    double x = 0.0, y = 0.0, z = 0.0;
    const double *re = g.real.data(), *im = g.imaginary.data(), *w_re = g.sum_real.data(),
                 *w_im = g.sum_imaginary.data(), *px = sphere.x.data(), *py = sphere.y.data(),
                 *pz = sphere.z.data();
#pragma omp simd reduction(+ : x, y, z)
    for (std::size_t i = 0; i < sphere.padded(); ++i) {
      const double part = w_re[i] * im[i] - w_im[i] * re[i];
      x += px[i] * part, y += py[i] * part, z += pz[i] * part;
    }
    const double factor = -2.0 * cell_volume_;
    result.current[0] += factor * x, result.current[1] += factor * y,
        result.current[2] += factor * z;
    phases += 2 * sphere.padded();
  }
  return result;
}

NonlocalCount Nonlocal::count() const {
  NonlocalCount count;
  for (const Sphere& sphere : spheres_) {
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
    const double points = double(points_around(grid, atom.place, reach * species.widest()).points);
    count.projectors += projectors, count.points += points;
    count.projector_points += projectors * points;
  }
  return count;
}

}  // namespace hakaru::apps::electrons
