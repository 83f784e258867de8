#include <algorithm>

#include "apps/electrons/projection.hpp"
#include "apps/electrons/stencil/targets.hpp"

// The order matters: foreach_target includes this file again for every target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/electrons/projection_explicit.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::electrons::projection::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// Processors without vectors of two numbers: nothing to say explicitly.
void Project(const Site& s, const Complex* u, Complex* c) { project_compiler(s, u, c); }
void AddBack(const Site& s, const Complex* c, Complex* out) { add_compiler(s, c, out); }
hakaru::apps::electrons::Vector Moments(const Site& s, const Complex* c, const Complex* u) {
  return moments_compiler(s, c, u);
}
#else

using Tag = hn::CappedTag<double, block_points>;
using Lanes = hn::Vec<Tag>;
inline constexpr std::size_t lanes = hn::MaxLanes(Tag());
// Sums of real and imaginary parts, in 32 registers or the 16 of SSE4 and AVX2.
inline constexpr std::size_t most_projectors = 5;

struct Parts {
  Lanes re, im;
};

// exp(iK(r - R)) u at the entries `at` ... `at + lanes` of a block.
HWY_INLINE Parts Turned(const std::uint32_t* windows, const double* phases, const double* u,
                        std::size_t at) {
  const Tag d;
  Lanes first = hn::LoadU(d, u + 2 * std::size_t{windows[0]} + at);
  Lanes second = hn::LoadU(d, u + 2 * std::size_t{windows[1]} + at);
  const Lanes cosine = hn::Load(d, phases + at), sine = hn::Load(d, phases + block_points + at);
  HAKARU_LOADED_ONCE(first);
  HAKARU_LOADED_ONCE(second);
  const Lanes re = hn::InterleaveLower(d, first, second);
  const Lanes im = hn::InterleaveUpper(d, first, second);
  return {hn::MulAdd(sine, im, hn::Mul(cosine, re)), hn::NegMulAdd(sine, re, hn::Mul(cosine, im))};
}

template <std::size_t count>
HWY_INLINE Parts Combined(const double* values, const Parts (&factors)[count]) {
  const Tag d;
  Parts w{hn::Zero(d), hn::Zero(d)};
#pragma GCC unroll 8
  for (std::size_t p = 0; p < count; ++p) {
    Lanes value = hn::Load(d, values + p * block_points);
    HAKARU_LOADED_ONCE(value);
    w = {hn::MulAdd(value, factors[p].re, w.re), hn::MulAdd(value, factors[p].im, w.im)};
  }
  return w;
}

template <std::size_t count>
HWY_INLINE void Broadcast(const Complex* factors, Parts (&to)[count]) {
  const Tag d;
#pragma GCC unroll 8
  for (std::size_t p = 0; p < count; ++p)
    to[p] = {hn::Set(d, factors[p].real()), hn::Set(d, factors[p].imag())};
}

// Calls body(block, entry) for every vector of entries.
template <class Body>
HWY_INLINE void ForVectors(std::size_t blocks, Body body) {
  for (std::size_t block = 0; block < blocks; ++block)
#pragma GCC unroll 4
    for (std::size_t at = 0; at < block_points; at += lanes) body(block, at);
}

template <std::size_t count>
struct ProjectSome {
  static HWY_NOINLINE void run(const Site& site, std::size_t first, const Complex* from,
                               Complex* products) {
    const Tag d;
    const double* u = reinterpret_cast<const double*>(from);
    const std::size_t pitch = site.sphere.projectors() * block_points;
    const double* values = site.sphere.values.data() + first * block_points;
    const double* phases = site.phases;
    const std::uint32_t* windows = site.windows;
    Parts sums[count];
    for (Parts& sum : sums) sum = {hn::Zero(d), hn::Zero(d)};
    ForVectors(site.sphere.blocks, [&](std::size_t block, std::size_t at) HWY_ATTR {
      const Parts g =
          Turned(windows + block * block_windows, phases + 2 * block * block_points, u, at);
#pragma GCC unroll 8
      for (std::size_t p = 0; p < count; ++p) {
        Lanes value = hn::Load(d, values + block * pitch + p * block_points + at);
        HAKARU_LOADED_ONCE(value);
        sums[p] = {hn::MulAdd(value, g.re, sums[p].re), hn::MulAdd(value, g.im, sums[p].im)};
      }
    });
    for (std::size_t p = 0; p < count; ++p)
      products[first + p] = {hn::GetLane(hn::SumOfLanes(d, sums[p].re)),
                             hn::GetLane(hn::SumOfLanes(d, sums[p].im))};
  }
};

template <std::size_t count>
struct AddSome {
  static HWY_NOINLINE void run(const Site& site, std::size_t first, const Complex* factors,
                               Complex* out) {
    const Tag d;
    double* to = reinterpret_cast<double*>(out);
    const std::size_t pitch = site.sphere.projectors() * block_points;
    const double* values = site.sphere.values.data() + first * block_points;
    const double* phases = site.phases;
    const std::uint32_t* windows = site.windows;
    Parts c[count];
    Broadcast(factors + first, c);
    ForVectors(site.sphere.blocks, [&](std::size_t block, std::size_t at) HWY_ATTR {
      const Parts w = Combined(values + block * pitch + at, c);
      const double* phase = phases + 2 * block * block_points + at;
      const Lanes cosine = hn::Load(d, phase), sine = hn::Load(d, phase + block_points);
      const Lanes re = hn::NegMulAdd(sine, w.im, hn::Mul(cosine, w.re));
      const Lanes im = hn::MulAdd(sine, w.re, hn::Mul(cosine, w.im));
      // One after the other: the windows may overlap.
      double* one = to + 2 * std::size_t{windows[block * block_windows]} + at;
      hn::StoreU(hn::Add(hn::LoadU(d, one), hn::InterleaveLower(d, re, im)), d, one);
      double* two = to + 2 * std::size_t{windows[block * block_windows + 1]} + at;
      hn::StoreU(hn::Add(hn::LoadU(d, two), hn::InterleaveUpper(d, re, im)), d, two);
    });
  }
};

template <std::size_t count>
struct MomentsOfSome {
  static HWY_NOINLINE void run(const Site& site, std::size_t first, const Complex* factors,
                               const Complex* from, hakaru::apps::electrons::Vector& result) {
    const Tag d;
    const Sphere& s = site.sphere;
    const double* u = reinterpret_cast<const double*>(from);
    const std::size_t pitch = s.projectors() * block_points;
    const double* values = s.values.data() + first * block_points;
    const double *px = s.x.data(), *py = s.y.data(), *pz = s.z.data();
    Parts c[count];
    Broadcast(factors + first, c);
    Lanes x = hn::Zero(d), y = x, z = x;
    ForVectors(s.blocks, [&](std::size_t block, std::size_t at) HWY_ATTR {
      const std::size_t entry = block * block_points + at;
      const Parts g = Turned(site.windows + block * block_windows,
                             site.phases + 2 * block * block_points, u, at);
      const Parts w = Combined(values + block * pitch + at, c);
      const Lanes part = hn::NegMulAdd(g.im, w.re, hn::Mul(g.re, w.im));
      x = hn::MulAdd(hn::Load(d, px + entry), part, x);
      y = hn::MulAdd(hn::Load(d, py + entry), part, y);
      z = hn::MulAdd(hn::Load(d, pz + entry), part, z);
    });
    result[0] += hn::GetLane(hn::SumOfLanes(d, x));
    result[1] += hn::GetLane(hn::SumOfLanes(d, y));
    result[2] += hn::GetLane(hn::SumOfLanes(d, z));
  }
};

// Kernel<count>::run(site, first, arguments...) for all projectors, as many at once as fit.
template <template <std::size_t> class Kernel, class... Arguments>
void ForProjectors(const Site& site, Arguments&&... arguments) {
  const std::size_t projectors = site.sphere.projectors();
  for (std::size_t first = 0; first < projectors; first += most_projectors) {
    static_assert(most_projectors == 5);
    switch (std::min(projectors - first, most_projectors)) {
      case 1:
        Kernel<1>::run(site, first, arguments...);
        break;
      case 2:
        Kernel<2>::run(site, first, arguments...);
        break;
      case 3:
        Kernel<3>::run(site, first, arguments...);
        break;
      case 4:
        Kernel<4>::run(site, first, arguments...);
        break;
      case 5:
        Kernel<5>::run(site, first, arguments...);
        break;
    }
  }
}

void Project(const Site& site, const Complex* u, Complex* products) {
  ForProjectors<ProjectSome>(site, u, products);
}

void AddBack(const Site& site, const Complex* factors, Complex* out) {
  ForProjectors<AddSome>(site, factors, out);
}

hakaru::apps::electrons::Vector Moments(const Site& site, const Complex* factors,
                                        const Complex* u) {
  hakaru::apps::electrons::Vector result{};
  ForProjectors<MomentsOfSome>(site, factors, u, result);
  return result;
}

#endif  // HWY_SCALAR

}  // namespace hakaru::apps::electrons::projection::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hakaru::apps::electrons::projection {

HWY_EXPORT(Project);
HWY_EXPORT(AddBack);
HWY_EXPORT(Moments);

void project_explicit(const Site& site, const Complex* u, Complex* products) {
  HWY_DYNAMIC_DISPATCH(Project)(site, u, products);
}

void add_explicit(const Site& site, const Complex* factors, Complex* out) {
  HWY_DYNAMIC_DISPATCH(AddBack)(site, factors, out);
}

Vector moments_explicit(const Site& site, const Complex* factors, const Complex* u) {
  return HWY_DYNAMIC_DISPATCH(Moments)(site, factors, u);
}

}  // namespace hakaru::apps::electrons::projection
#endif  // HWY_ONCE
