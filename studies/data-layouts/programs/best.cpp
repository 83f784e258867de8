// The same step in explicit vectors (Highway): seconds of the processor for each sample, then its
// bits and sum, and its ceilings. program POINTS STEPS SAMPLES
//
// One pass over memory a step: what a cell gives to its six faces is computed once; fluxes of a row
// and of a plane are kept; q is replaced as soon as no face needs the old one. q(block, k, j, n,
// i), rows padded to whole vectors.
// Highway 1.0.3 forgets AVX3_DL where -march=native means it; AVX3 has the same width (cmake/dependencies.cmake).
#define HWY_DISABLED_TARGETS HWY_AVX3_DL
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace hn = hwy::HWY_NAMESPACE;

namespace {

constexpr int nc = 5, given = 7, blocks = BLOCKS, points = POINTS;
constexpr int tile = 13;  // rows whose cells and fluxes stay in the second cache
constexpr double scale_value = 0.0625;
const hn::ScalableTag<double> tag;
constexpr int lanes = hn::MaxLanes(hn::ScalableTag<double>());

struct Real {
  hn::Vec<hn::ScalableTag<double>> v;
  Real() = default;
  Real(hn::Vec<hn::ScalableTag<double>> from) : v(from) {}
};

#define INLINE inline __attribute__((always_inline))
INLINE Real operator+(Real a, Real b) { return hn::Add(a.v, b.v); }
INLINE Real operator-(Real a, Real b) { return hn::Sub(a.v, b.v); }
INLINE Real operator*(Real a, Real b) { return hn::Mul(a.v, b.v); }
INLINE Real operator/(Real a, Real b) { return hn::Div(a.v, b.v); }
INLINE Real operator-(Real a) { return hn::Neg(a.v); }
INLINE Real abs(Real a) { return hn::Abs(a.v); }
INLINE Real min(Real a, Real b) { return hn::Min(a.v, b.v); }
INLINE Real max(Real a, Real b) { return hn::Max(a.v, b.v); }
INLINE Real sqrt(Real a) { return hn::Sqrt(a.v); }
INLINE Real load(const double* from) { return hn::LoadU(tag, from); }
INLINE void store(Real a, double* to) { hn::StoreU(a.v, tag, to); }
#define CONSTANT(name, value) const Real name = hn::Set(tag, value)
CONSTANT(zero, 0.0);
CONSTANT(quarter, 0.25);
CONSTANT(half, 0.5);
CONSTANT(one, 1.0);
CONSTANT(two, 2.0);
CONSTANT(gam, 1.4);
CONSTANT(gm1, 0.4);
CONSTANT(scale, scale_value);

#include "arithmetic.hpp"

// A vector more than a row needs, for the faces of its last cells.
constexpr int stride = (points + 2 * lanes - 1) / lanes * lanes;
constexpr int vectors = (points + lanes - 1) / lanes;

struct Free {
  void operator()(double* data) const { std::free(data); }
};
using Buffer = std::unique_ptr<double[], Free>;
Buffer buffer(std::size_t count) {
  const std::size_t bytes = (count * sizeof(double) + 2 * 64) / 64 * 64;
  Buffer made(static_cast<double*>(std::aligned_alloc(64, bytes)));
  for (std::size_t i = 0; i < count; ++i) made[i] = 0.0;
  return made;
}

constexpr std::size_t row_q = nc * stride, row_cells = given * stride;
constexpr std::size_t block_q = points * points * row_q;
Buffer q = buffer(blocks * block_q + stride);
Buffer cells = buffer((points + 1) * row_cells + stride);  // of a plane, row by row
Buffer below = buffer(points * row_q + stride);            // fluxes into it across k
Buffer behind = buffer(row_q + stride);                    // across j
Buffer edge = buffer(points * row_q + stride);  // across j, out of a tile, plane by plane
Buffer along = buffer(row_q + 2 * stride);      // across i

double* at(int m, int k, int j) { return &q[m * block_q + (k * points + j) * row_q]; }

INLINE Cell<Real> cell_of(const double* row) {
  Real components[nc];
  for (int n = 0; n < nc; ++n) components[n] = load(row + n * stride);
  return cell<Real>(components);
}
INLINE void keep(const Cell<Real>& one_cell, double* row) {
  const Real all[given] = {one_cell.r, one_cell.u, one_cell.v, one_cell.w,
                           one_cell.p, one_cell.h, one_cell.c};
  for (int n = 0; n < given; ++n) store(all[n], row + n * stride);
}
INLINE Cell<Real> kept(const double* row) {
  Real all[given];
  for (int n = 0; n < given; ++n) all[n] = load(row + n * stride);
  return {all[0], all[1], all[2], all[3], all[4], all[5], all[6]};
}

// Fluxes across i of a row: along[n][lanes + i] is that between i and i + 1.
INLINE void sweep_row(const double* row) {
  Real f[nc];
  for (int i = 0; i < vectors * lanes; i += lanes) {
    face_i<Real>(kept(row + i), kept(row + i + 1), f);
    for (int n = 0; n < nc; ++n) store(f[n], &along[n * stride + lanes + i]);
  }
}

// Lanes of a vector at i that are inside.
INLINE Real inside(int i) {
  const auto place = hn::Iota(tag, i);
  const auto in = hn::And(hn::Gt(place, zero.v), hn::Lt(place, hn::Set(tag, points - 1.0)));
  return hn::IfThenElseZero(in, one.v);
}
Buffer masks = buffer(stride);

// Row j of plane k: `next` is whether there is a plane above it, which gives its cells to `own` and
// `above` its fluxes.
template <bool next>
INLINE void update_row(int m, int k, int j, int first, int last) {
  const bool inner_j = j > 0 && j < points - 1, last_j = j == points - 1, inner_k = next && k > 0;
  const double* from = j == first ? &edge[k * row_q] : &behind[0];
  double* to_next = j == last ? &edge[k * row_q] : &behind[0];
  double* own = &cells[j * row_cells];
  double* lower = &below[j * row_q];
  double* here = at(m, k, j);
  const double* above = next ? at(m, k + 1, j) : here;
  sweep_row(own);
  for (int i = 0; i < vectors * lanes; i += lanes) {
    const Cell<Real> middle = kept(own + i);
    const Real in = load(&masks[i]);
    Real sum[nc], f[nc];
    for (int n = 0; n < nc; ++n) {
      const double* to = &along[n * stride + lanes + i];
      sum[n] = hn::IfThenElseZero(hn::Gt(in.v, zero.v), hn::Sub(load(to).v, load(to - 1).v));
    }
    if (!last_j) {
      face_j<Real>(middle, kept(own + row_cells + i), f);
      for (int n = 0; n < nc; ++n) {
        if (inner_j) sum[n] = sum[n] + (f[n] - load(from + n * stride + i));
        store(f[n], to_next + n * stride + i);
      }
    }
    if (next) {
      const Cell<Real> upper = cell_of(above + i);
      face_k<Real>(middle, upper, f);
      for (int n = 0; n < nc; ++n) {
        double* before = lower + n * stride + i;
        if (inner_k) sum[n] = sum[n] + (f[n] - load(before));
        store(f[n], before);
      }
      keep(upper, own + i);
    }
    for (int n = 0; n < nc; ++n)
      store(load(here + n * stride + i) - scale * sum[n], here + n * stride + i);
  }
}

void keep_row(int m, int k, int j) {
  for (int i = 0; i < stride; i += lanes) keep(cell_of(at(m, k, j) + i), &cells[j * row_cells + i]);
}

// Rows first to last: the row behind them is still old, and so are its cells.
void step_tile(int m, int first, int last) {
  for (int j = first; j <= last; ++j) keep_row(m, 0, j);
  for (int k = 0; k < points; ++k) {
    if (last + 1 < points) keep_row(m, k, last + 1);
    for (int j = first; j <= last; ++j)
      if (k < points - 1)
        update_row<true>(m, k, j, first, last);
      else
        update_row<false>(m, k, j, first, last);
  }
}

void step(int m) {
  for (int first = 0; first < points; first += tile)
    step_tile(m, first, std::min(first + tile, points) - 1);
}

void prepare() {
  for (int i = 0; i < stride; i += lanes) store(inside(i), &masks[i]);
  for (int m = 0; m < blocks; ++m)
    for (int k = 0; k < points; ++k)
      for (int j = 0; j < points; ++j)
        for (int i = 0; i < stride; ++i) {
          const int x = i + 1, y = j + 1, z = k + 1, b = m + 1;
          const double r = 1.0 + (7 * x + 11 * y + 13 * z + 17 * b) % 32 / 64.0;
          const double u[3] = {(5 * x + 3 * y + 7 * z + b) % 16 / 32.0,
                               (3 * x + 7 * y + 5 * z + b) % 16 / 32.0 - 0.25,
                               0.25 - (7 * x + 5 * y + 3 * z + b) % 16 / 32.0};
          const double p = 1.0 + (13 * x + 7 * y + 11 * z + 5 * b) % 32 / 128.0;
          double* to = at(m, k, j) + i;
          to[0] = r;
          for (int n = 1; n < nc - 1; ++n) to[n * stride] = r * u[n - 1];
          to[(nc - 1) * stride] = p * 2.5 + 0.5 * r * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        }
}

void tell() {
  std::uint64_t bits = 0;
  double total = 0.0;
  for (int m = 0; m < blocks; ++m)
    for (int n = 0; n < nc; ++n)
      for (int k = 0; k < points; ++k)
        for (int j = 0; j < points; ++j)
          for (int i = 0; i < points; ++i) {
            const double value = at(m, k, j)[n * stride + i];
            bits = std::rotl(bits, 5) ^ std::bit_cast<std::uint64_t>(value);
            total += value * value;
          }
  std::printf("bits %016llX\ntotal %.16e\n", static_cast<unsigned long long>(bits), total);
}

// The arithmetic of so many points, from a vector's worth of data in the first cache, into sums.
Real arithmetic(const double* from, std::int64_t count) {
  Real sums[nc] = {zero, zero, zero, zero, zero};
  for (std::int64_t i = 0; i < count; i += lanes) {
    const Cell<Real> middle = cell_of(from + i % stride / lanes * lanes);
    const Cell<Real> other = kept(&cells[i % stride / lanes * lanes]);
    Real f[nc];
    face_i<Real>(middle, other, f);
    for (int n = 0; n < nc; ++n) sums[n] = sums[n] + f[n];
    face_j<Real>(middle, other, f);
    for (int n = 0; n < nc; ++n) sums[n] = sums[n] + f[n];
    face_k<Real>(middle, other, f);
    for (int n = 0; n < nc; ++n) sums[n] = sums[n] + f[n];
  }
  return sums[0] + sums[1] + sums[2] + sums[3] + sums[4];
}

template <class Work>
double seconds(const Work& work) {
  const std::clock_t began = std::clock();
  work();
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4 || std::atoi(words[1]) != points) return 2;
  const int steps = std::atoi(words[2]), samples = std::atoi(words[3]);
  prepare();
  for (int sample = 0; sample <= samples; ++sample) {
    const int times = sample == 0 ? 1 : steps;
    const double took = seconds([&] {
      for (int one_step = 0; one_step < times; ++one_step)
        for (int m = 0; m < blocks; ++m) step(m);
    });
    if (sample > 0) std::printf("seconds %.8e\n", took / steps);
  }
  tell();
  const std::int64_t cells_of_all = std::int64_t{blocks} * points * points * (vectors * lanes);
  for (int sample = 0; sample < samples; ++sample) {
    Real sink = zero;
    std::printf("arithmetic %.8e\n",
                seconds([&] { sink = arithmetic(at(0, 0, 0), cells_of_all); }));
    store(sink, &along[0]);
    const double passed = seconds([&] {
      for (std::size_t i = 0; i < blocks * block_q; i += lanes) store(load(&q[i]) * one, &q[i]);
    });
    std::printf("stream %.8e\n", passed);
  }
  return std::isnan(along[0]) ? 3 : 0;
}
