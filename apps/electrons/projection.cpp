#include "apps/electrons/projection.hpp"

namespace hakaru::apps::electrons::projection {
namespace {

// Buffers of a thread for the entries of one sphere.
struct Buffers {
  LineVector<Complex> whole;
  LineVector<double> re, im;
};

Buffers& buffers(std::size_t entries) {
  static thread_local Buffers b;
  if (b.whole.size() < entries) b.whole.resize(entries), b.re.resize(entries), b.im.resize(entries);
  return b;
}

// exp(iK(r - R)) u at all entries; the phases are exp(-iK(r - R)).
const Buffers& turned(const Site& site, const Complex* u) {
  const std::size_t entries = site.sphere.entries();
  Buffers& b = buffers(entries);
  Complex* to = b.whole.data();
  for (std::size_t window = 0; window < entries / window_points; window += block_windows)
    for (std::size_t i = 0; i < window_points; ++i) {
      *to++ = u[site.windows[window] + i];
      *to++ = u[site.windows[window + 1] + i];
    }
  const double* whole = reinterpret_cast<const double*>(b.whole.data());
  for (std::size_t first = 0; first < entries; first += block_points) {
    const double *cosine = site.phases + 2 * first, *sine = cosine + block_points;
    const double* from = whole + 2 * first;
    double *re = b.re.data() + first, *im = b.im.data() + first;
#pragma omp simd
    for (std::size_t i = 0; i < block_points; ++i) {
      re[i] = cosine[i] * from[2 * i] + sine[i] * from[2 * i + 1];
      im[i] = cosine[i] * from[2 * i + 1] - sine[i] * from[2 * i];
    }
  }
  return b;
}

// sum_p p_p c_p at the entries of a block.
struct Block {
  double re[block_points], im[block_points];
};
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
void project_some(const Site& site, std::size_t first, const Buffers& u, Complex* products) {
  Block sums[Count] = {};
  const std::size_t pitch = site.sphere.projectors() * block_points;
  const double* values = site.sphere.values.data() + first * block_points;
  const double *re = u.re.data(), *im = u.im.data();
  for (std::size_t b = 0; b < site.sphere.blocks; ++b) {
    for (int p = 0; p < Count; ++p)
#pragma omp simd
      for (std::size_t i = 0; i < block_points; ++i) {
        sums[p].re[i] += values[p * block_points + i] * re[i];
        sums[p].im[i] += values[p * block_points + i] * im[i];
      }
    values += pitch, re += block_points, im += block_points;
  }
  for (int p = 0; p < Count; ++p) {
    double sum_re = 0.0, sum_im = 0.0;
    for (std::size_t i = 0; i < block_points; ++i) sum_re += sums[p].re[i], sum_im += sums[p].im[i];
    products[first + p] = {sum_re, sum_im};
  }
}

}  // namespace

void project_compiler(const Site& site, const Complex* u, Complex* products) {
  const Buffers& g = turned(site, u);
  for (std::size_t p = 0, all = site.sphere.projectors(); p < all;) {
    if (all - p >= 5)
      project_some<5>(site, p, g, products), p += 5;
    else if (all - p >= 3)
      project_some<3>(site, p, g, products), p += 3;
    else
      project_some<1>(site, p, g, products), p += 1;
  }
}

void add_compiler(const Site& site, const Complex* factors, Complex* out) {
  const Sphere& s = site.sphere;
  Complex* whole = buffers(s.entries()).whole.data();
  for (std::size_t first = 0; first < s.entries(); first += block_points) {
    const Block w = combined(s.values.data() + first * s.projectors(), factors, s.projectors());
    const double *cosine = site.phases + 2 * first, *sine = cosine + block_points;
    double* to = reinterpret_cast<double*>(whole + first);
#pragma omp simd
    for (std::size_t i = 0; i < block_points; ++i) {
      to[2 * i] = cosine[i] * w.re[i] - sine[i] * w.im[i];
      to[2 * i + 1] = cosine[i] * w.im[i] + sine[i] * w.re[i];
    }
  }
  for (std::size_t window = 0; window < s.blocks * block_windows; window += block_windows)
    for (std::size_t i = 0; i < window_points; ++i) {
      out[site.windows[window] + i] += *whole++;
      out[site.windows[window + 1] + i] += *whole++;
    }
}

Vector moments_compiler(const Site& site, const Complex* factors, const Complex* u) {
  const Sphere& s = site.sphere;
  const Buffers& g = turned(site, u);
  double x = 0.0, y = 0.0, z = 0.0;
  for (std::size_t first = 0; first < s.entries(); first += block_points) {
    const Block w = combined(s.values.data() + first * s.projectors(), factors, s.projectors());
    const double *re = g.re.data() + first, *im = g.im.data() + first;
    const double *px = s.x.data() + first, *py = s.y.data() + first, *pz = s.z.data() + first;
#pragma omp simd reduction(+ : x, y, z)
    for (std::size_t i = 0; i < block_points; ++i) {
      const double part = re[i] * w.im[i] - im[i] * w.re[i];
      x += px[i] * part, y += py[i] * part, z += pz[i] * part;
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
