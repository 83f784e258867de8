#include "apps/electrons/projection.hpp"

namespace hakaru::apps::electrons::projection {
namespace {

// A block of eight entries, real and imaginary parts apart.
struct Block {
  double re[block_points], im[block_points];
};

// exp(iK(r - R)) u at the entries of a block; `phases` hold exp(-iK(r - R)).
Block turned(const std::uint32_t* windows, const double* phases, const Complex* u) {
  const double* first = reinterpret_cast<const double*>(u + windows[0]);
  const double* second = reinterpret_cast<const double*>(u + windows[1]);
  double re[block_points], im[block_points];
  for (std::size_t i = 0; i < window_points; ++i) {
    re[2 * i] = first[2 * i], im[2 * i] = first[2 * i + 1];
    re[2 * i + 1] = second[2 * i], im[2 * i + 1] = second[2 * i + 1];
  }
  const double *cosine = phases, *sine = phases + block_points;
  Block block;
#pragma omp simd
  for (std::size_t i = 0; i < block_points; ++i) {
    block.re[i] = cosine[i] * re[i] + sine[i] * im[i];
    block.im[i] = cosine[i] * im[i] - sine[i] * re[i];
  }
  return block;
}

// sum_p p_p c_p at the entries of a block.
Block combined(const double* values, const Complex* factors, std::size_t projectors) {
  Block w{};
  for (std::size_t p = 0; p < projectors; ++p, values += block_points) {
    const double re = factors[p].real(), im = factors[p].imag();
#pragma omp simd
    for (std::size_t i = 0; i < block_points; ++i) {
      w.re[i] += values[i] * re;
      w.im[i] += values[i] * im;
    }
  }
  return w;
}

// `Count` projectors at once, so that u is read once.
template <int Count>
void project_some(const Site& site, std::size_t first, const Complex* u, Complex* products) {
  Block sums[Count] = {};
  const std::size_t pitch = site.sphere.projectors() * block_points;
  const double* values = site.sphere.values.data() + first * block_points;
  for (std::size_t b = 0; b < site.sphere.blocks; ++b, values += pitch) {
    const Block g = turned(site.windows + b * block_windows, site.phases + 2 * b * block_points, u);
    for (int p = 0; p < Count; ++p)
#pragma omp simd
      for (std::size_t i = 0; i < block_points; ++i) {
        sums[p].re[i] += values[p * block_points + i] * g.re[i];
        sums[p].im[i] += values[p * block_points + i] * g.im[i];
      }
  }
  for (int p = 0; p < Count; ++p) {
    double re = 0.0, im = 0.0;
    for (std::size_t i = 0; i < block_points; ++i) re += sums[p].re[i], im += sums[p].im[i];
    products[first + p] = {re, im};
  }
}

}  // namespace

void project_compiler(const Site& site, const Complex* u, Complex* products) {
  for (std::size_t p = 0, all = site.sphere.projectors(); p < all;) {
    if (all - p >= 5)
      project_some<5>(site, p, u, products), p += 5;
    else if (all - p >= 3)
      project_some<3>(site, p, u, products), p += 3;
    else
      project_some<1>(site, p, u, products), p += 1;
  }
}

void add_compiler(const Site& site, const Complex* factors, Complex* out) {
  const std::size_t projectors = site.sphere.projectors();
  const double *values = site.sphere.values.data(), *cosine = site.phases;
  for (std::size_t b = 0; b < site.sphere.blocks; ++b) {
    const Block w = combined(values, factors, projectors);
    const double* sine = cosine + block_points;
    Block turned;
#pragma omp simd
    for (std::size_t i = 0; i < block_points; ++i) {
      turned.re[i] = cosine[i] * w.re[i] - sine[i] * w.im[i];
      turned.im[i] = cosine[i] * w.im[i] + sine[i] * w.re[i];
    }
    for (std::size_t window = 0; window < block_windows; ++window) {
      double* to = reinterpret_cast<double*>(out + site.windows[b * block_windows + window]);
      for (std::size_t i = 0; i < window_points; ++i) {
        to[2 * i] += turned.re[2 * i + window];
        to[2 * i + 1] += turned.im[2 * i + window];
      }
    }
    values += projectors * block_points, cosine += 2 * block_points;
  }
}

Vector moments_compiler(const Site& site, const Complex* factors, const Complex* u) {
  const Sphere& s = site.sphere;
  double x = 0.0, y = 0.0, z = 0.0;
  for (std::size_t b = 0; b < s.blocks; ++b) {
    const std::size_t first = b * block_points;
    const Block g = turned(site.windows + b * block_windows, site.phases + 2 * first, u);
    const Block w = combined(s.values.data() + first * s.projectors(), factors, s.projectors());
#pragma omp simd reduction(+ : x, y, z)
    for (std::size_t i = 0; i < block_points; ++i) {
      const double part = g.re[i] * w.im[i] - g.im[i] * w.re[i];
      x += s.x[first + i] * part, y += s.y[first + i] * part, z += s.z[first + i] * part;
    }
  }
  return {x, y, z};
}

void project(const Site& site, const Complex* u, Complex* products, Variant variant) {
  variant == Variant::compiler ? project_compiler(site, u, products)
                               : project_explicit(site, u, products);
}

void add(const Site& site, const Complex* factors, Complex* out, Variant variant) {
  variant == Variant::compiler ? add_compiler(site, factors, out)
                               : add_explicit(site, factors, out);
}

Vector moments(const Site& site, const Complex* factors, const Complex* u, Variant variant) {
  return variant == Variant::compiler ? moments_compiler(site, factors, u)
                                      : moments_explicit(site, factors, u);
}

}  // namespace hakaru::apps::electrons::projection
