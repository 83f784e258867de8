#include "apps/lattice_qcd/vectors.hpp"

#include <omp.h>

#include <vector>

#include "native/base/share.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::lattice_qcd {
namespace {

// `work(first, end)` of each thread's numbers; shares begin at the first lane of a real part.
template <typename Work>
void by_threads(std::int64_t numbers, int lanes, const Work& work) {
  const std::int64_t pairs = numbers / (2 * lanes);
#pragma omp parallel
  {
    const base::Share share = base::share_of(pairs, omp_get_thread_num(), omp_get_num_threads());
    work(share.first * 2 * lanes, share.end() * 2 * lanes);
  }
}

// `with(std::integral_constant)` of the number of lanes, so that loops over them have a length.
template <typename With>
void by_lanes(int lanes, const With& with) {
  switch (lanes) {
    case 16:
      return with(std::integral_constant<int, 16>());
    case 8:
      return with(std::integral_constant<int, 8>());
    case 4:
      return with(std::integral_constant<int, 4>());
    default:
      return with(std::integral_constant<int, 1>());
  }
}

// `update(re, im)` for the indices of every complex number.
template <typename Real, typename Update>
void for_complex(Field<Real> field, const Update& update) {
  by_lanes(field.lanes, [&](auto lanes) {
    by_threads(field.numbers, lanes, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t at = first; at < end; at += 2 * lanes)
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane) update(at + lane, at + lanes + lane);
    });
  });
}

// Sums of `terms` numbers a complex number, `term(re, im, out)`, in the order of threads.
template <int terms, typename Real, typename Term>
void sum_complex(Field<const Real> x, const Term& term, double* sums) {
  std::vector<std::array<double, terms>> parts(omp_get_max_threads());
  by_lanes(x.lanes, [&](auto lanes) {
    by_threads(x.numbers, lanes, [&](std::int64_t first, std::int64_t end) {
      double of_lane[terms][lanes] = {};
      for (std::int64_t at = first; at < end; at += 2 * lanes)
#pragma omp simd
        for (int lane = 0; lane < lanes; ++lane) {
          double out[terms];
          term(at + lane, at + lanes + lane, out);
          for (int i = 0; i < terms; ++i) of_lane[i][lane] += out[i];
        }
      for (int i = 0; i < terms; ++i)
        for (int lane = 0; lane < lanes; ++lane) parts[omp_get_thread_num()][i] += of_lane[i][lane];
    });
  });
  for (int i = 0; i < terms; ++i) {
    sums[i] = 0.0;
    for (const auto& part : parts) sums[i] += part[i];
  }
}

// Products are rounded one by one, so that no layout changes them.
double product(double a, double b) {
  double result = a * b;
  asm volatile("" : "+x"(result));
  return result;
}

}  // namespace

template <typename Real>
void add(Field<Real> y, double a_, const Real* x) {
  const Real a = static_cast<Real>(a_);
  by_threads(y.numbers, y.lanes, [&](std::int64_t first, std::int64_t end) {
#pragma omp simd
    for (std::int64_t i = first; i < end; ++i) y.data[i] += a * x[i];
  });
}

template <typename Real>
void add(Field<Real> y, Complex a, const Real* x) {
  const Real a_re = static_cast<Real>(a.real()), a_im = static_cast<Real>(a.imag());
  Real* out = y.data;
  for_complex(y, [=](std::int64_t re, std::int64_t im) {
    const Real x_re = x[re], x_im = x[im];
    out[re] += a_re * x_re - a_im * x_im;
    out[im] += a_re * x_im + a_im * x_re;
  });
}

template <typename Real>
void turn(Field<Real> p, double b_, const Real* r) {
  const Real b = static_cast<Real>(b_);
  by_threads(p.numbers, p.lanes, [&](std::int64_t first, std::int64_t end) {
#pragma omp simd
    for (std::int64_t i = first; i < end; ++i) p.data[i] = r[i] + b * p.data[i];
  });
}

template <typename Real>
void turn(Field<Real> p, Complex b, Complex w, const Real* r, const Real* v) {
  const Real b_re = static_cast<Real>(b.real()), b_im = static_cast<Real>(b.imag());
  const Real w_re = static_cast<Real>(w.real()), w_im = static_cast<Real>(w.imag());
  Real* out = p.data;
  for_complex(p, [=](std::int64_t re, std::int64_t im) {
    const Real q_re = out[re] - (w_re * v[re] - w_im * v[im]);
    const Real q_im = out[im] - (w_re * v[im] + w_im * v[re]);
    out[re] = r[re] + (b_re * q_re - b_im * q_im);
    out[im] = r[im] + (b_re * q_im + b_im * q_re);
  });
}

template <typename Real>
void copy(Field<Real> to, const Real* from) {
  by_threads(to.numbers, to.lanes, [&](std::int64_t first, std::int64_t end) {
    std::copy(from + first, from + end, to.data + first);
  });
}

template <typename Real>
void clear(Field<Real> field) {
  by_threads(field.numbers, field.lanes, [&](std::int64_t first, std::int64_t end) {
    std::fill(field.data + first, field.data + end, Real(0));
  });
}

template <typename Real>
void Sums::norm(Field<const Real> x) {
  const Real* data = x.data;
  if (exact_) {
    parallel::ExactSum sum;
    for (std::int64_t i = 0; i < x.numbers; ++i) sum.add(product(data[i], data[i]));
    return exact_parts_.push_back(sum);
  }
  double sum;
  sum_complex<1>(
      x,
      [=](std::int64_t re, std::int64_t im, double* out) {
        const double a = data[re], b = data[im];
        out[0] = a * a + b * b;
      },
      &sum);
  parts_.push_back(sum);
}

template <typename Real>
void Sums::dot(Field<const Real> x, const Real* y) {
  const Real* data = x.data;
  if (exact_) {
    parallel::ExactSum sums[2];
    for (std::int64_t at = 0; at < x.numbers; at += 2 * x.lanes)
      for (std::int64_t re = at; re < at + x.lanes; ++re) {
        const std::int64_t im = re + x.lanes;
        sums[0].add(product(data[re], y[re]));
        sums[0].add(product(data[im], y[im]));
        sums[1].add(product(data[re], y[im]));
        sums[1].add(-product(data[im], y[re]));
      }
    exact_parts_.insert(exact_parts_.end(), sums, sums + 2);
    return;
  }
  double sums[2];
  sum_complex<2>(
      x,
      [=](std::int64_t re, std::int64_t im, double* out) {
        const double a = data[re], b = data[im], c = y[re], d = y[im];
        out[0] = a * c + b * d;
        out[1] = a * d - b * c;
      },
      sums);
  parts_.insert(parts_.end(), sums, sums + 2);
}

std::span<const double> Sums::total() {
  if (exact_) {
    totals_ = parallel::exact_sums(ranks_, exact_parts_);
  } else {
    totals_ = parts_;
    ranks_.sum(totals_);
  }
  parts_.clear();
  exact_parts_.clear();
  return totals_;
}

#define HAKARU_INSTANTIATE(Real)                                                     \
  template void add<Real>(Field<Real>, double, const Real*);                         \
  template void add<Real>(Field<Real>, Complex, const Real*);                        \
  template void turn<Real>(Field<Real>, double, const Real*);                        \
  template void turn<Real>(Field<Real>, Complex, Complex, const Real*, const Real*); \
  template void copy<Real>(Field<Real>, const Real*);                                \
  template void clear<Real>(Field<Real>);                                            \
  template void Sums::norm<Real>(Field<const Real>);                                 \
  template void Sums::dot<Real>(Field<const Real>, const Real*);
HAKARU_INSTANTIATE(float)
HAKARU_INSTANTIATE(double)

}  // namespace hakaru::apps::lattice_qcd
