#include "probes/arithmetic/kernels.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

// The order matters: foreach_target includes this file again for every target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "probes/arithmetic/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace hakaru::probes::arithmetic::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 32 vector registers, or the 16 of SSE4 and AVX2; two hold the operands.
#if HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_AVX2
inline constexpr int chains_of_target = 12;
#else
inline constexpr int chains_of_target = 24;
#endif

struct Add {
  template <class V>
  HWY_INLINE V operator()(V x, V a, V) const {
    return hn::Add(x, a);
  }
};
struct Multiply {
  template <class V>
  HWY_INLINE V operator()(V x, V a, V) const {
    return hn::Mul(x, a);
  }
};
struct Fma {
  template <class V>
  HWY_INLINE V operator()(V x, V a, V b) const {
    return hn::MulAdd(x, a, b);
  }
};
struct Divide {
  template <class V>
  HWY_INLINE V operator()(V x, V a, V) const {
    return hn::Div(a, x);
  }
};
struct SquareRoot {
  template <class V>
  HWY_INLINE V operator()(V x, V a, V) const {
    return hn::Sqrt(hn::Add(x, a));
  }
};

// The chains are parameters, so that each lives in a register; an array of vectors does not exist
// on scalable instruction sets.
template <class Step, class D, class Real, class... Chain>
HWY_INLINE void Iterate(D d, Real* numbers, int64_t iterations, Real a, Real b, Chain... x) {
  const auto va = hn::Set(d, a), vb = hn::Set(d, b);
  for (int64_t i = 0; i < iterations; ++i) ((x = Step()(x, va, vb)), ...);
  (..., (hn::StoreU(x, d, numbers), numbers += hn::Lanes(d)));
}

template <class Step, class D, class Real, size_t... Index>
HWY_NOINLINE void RunChains(D d, Real* numbers, int64_t iterations, Real a, Real b,
                            std::index_sequence<Index...>) {
  Iterate<Step>(d, numbers, iterations, a, b, hn::LoadU(d, numbers + Index * hn::Lanes(d))...);
}

template <class D, class Step, class Real>
void ChainsOf(int chains, Real* numbers, int64_t iterations, Real a, Real b) {
  if (chains == 1)
    return RunChains<Step>(D(), numbers, iterations, a, b, std::make_index_sequence<1>());
  RunChains<Step>(D(), numbers, iterations, a, b, std::make_index_sequence<chains_of_target>());
}

// Coefficients 1/k! of exp, the highest first.
template <class Real>
inline constexpr Real inverse_factorials[polynomial_degree + 1] = {Real(1.0L / 6227020800),
                                                                   Real(1.0L / 479001600),
                                                                   Real(1.0L / 39916800),
                                                                   Real(1.0L / 3628800),
                                                                   Real(1.0L / 362880),
                                                                   Real(1.0L / 40320),
                                                                   Real(1.0L / 5040),
                                                                   Real(1.0L / 720),
                                                                   Real(1.0L / 120),
                                                                   Real(1.0L / 24),
                                                                   Real(1.0L / 6),
                                                                   Real(1.0L / 2),
                                                                   Real(1.0L),
                                                                   Real(1.0L)};

// Four independent evaluations at a time; the processor overlaps more of them.
template <class D, class Real>
HWY_NOINLINE void Polynomial(D d, const Real* x, Real* y, int64_t passes) {
  const size_t n = hn::Lanes(d);
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (size_t i = 0; i < map_count; i += 4 * n) {
      const auto x0 = hn::LoadU(d, x + i), x1 = hn::LoadU(d, x + i + n),
                 x2 = hn::LoadU(d, x + i + 2 * n), x3 = hn::LoadU(d, x + i + 3 * n);
      auto p0 = hn::Set(d, inverse_factorials<Real>[0]), p1 = p0, p2 = p0, p3 = p0;
      for (int k = 1; k <= polynomial_degree; ++k) {
        const auto c = hn::Set(d, inverse_factorials<Real>[k]);
        p0 = hn::MulAdd(p0, x0, c);
        p1 = hn::MulAdd(p1, x1, c);
        p2 = hn::MulAdd(p2, x2, c);
        p3 = hn::MulAdd(p3, x3, c);
      }
      hn::StoreU(p0, d, y + i);
      hn::StoreU(p1, d, y + i + n);
      hn::StoreU(p2, d, y + i + 2 * n);
      hn::StoreU(p3, d, y + i + 3 * n);
    }
    asm volatile("" ::: "memory");
  }
}

template <class D, class Real>
HWY_NOINLINE void Exponential(D d, const Real* x, Real* y, int64_t passes) {
  const size_t n = hn::Lanes(d);
  for (int64_t pass = 0; pass < passes; ++pass) {
    for (size_t i = 0; i < map_count; i += n) hn::StoreU(hn::Exp(d, hn::LoadU(d, x + i)), d, y + i);
    asm volatile("" ::: "memory");
  }
}

template <class D, class Real>
void ChainsAtWidth(Kernel kernel, int chains, Real* numbers, int64_t iterations, Real a, Real b) {
  switch (kernel) {
    case Kernel::add:
      return ChainsOf<D, Add>(chains, numbers, iterations, a, b);
    case Kernel::multiply:
      return ChainsOf<D, Multiply>(chains, numbers, iterations, a, b);
    case Kernel::fma:
      return ChainsOf<D, Fma>(chains, numbers, iterations, a, b);
    case Kernel::divide:
      return ChainsOf<D, Divide>(chains, numbers, iterations, a, b);
    case Kernel::square_root:
      return ChainsOf<D, SquareRoot>(chains, numbers, iterations, a, b);
    default:
      throw std::logic_error("not a chain kernel");
  }
}

template <class Real, size_t Bits>
using Tag = hn::CappedTag<Real, Bits / (8 * sizeof(Real))>;

template <class Real>
void Chains(Kernel kernel, int bits, int chains, Real* numbers, int64_t iterations, Real a,
            Real b) {
  if (bits == 512) return ChainsAtWidth<Tag<Real, 512>>(kernel, chains, numbers, iterations, a, b);
  if (bits == 256) return ChainsAtWidth<Tag<Real, 256>>(kernel, chains, numbers, iterations, a, b);
  if (bits == 128) return ChainsAtWidth<Tag<Real, 128>>(kernel, chains, numbers, iterations, a, b);
  ChainsAtWidth<hn::CappedTag<Real, 1>>(kernel, chains, numbers, iterations, a, b);
}

template <class D, class Real>
void MapAtWidth(Kernel kernel, const Real* x, Real* y, int64_t passes) {
  if (kernel == Kernel::polynomial)
    Polynomial(D(), x, y, passes);
  else
    Exponential(D(), x, y, passes);
}

template <class Real>
void Map(Kernel kernel, int bits, const Real* x, Real* y, int64_t passes) {
  if (bits == 512) return MapAtWidth<Tag<Real, 512>>(kernel, x, y, passes);
  if (bits == 256) return MapAtWidth<Tag<Real, 256>>(kernel, x, y, passes);
  if (bits == 128) return MapAtWidth<Tag<Real, 128>>(kernel, x, y, passes);
  MapAtWidth<hn::CappedTag<Real, 1>>(kernel, x, y, passes);
}

void ChainsDouble(Kernel kernel, int bits, int chains, double* numbers, int64_t iterations,
                  double a, double b) {
  Chains(kernel, bits, chains, numbers, iterations, a, b);
}
void ChainsFloat(Kernel kernel, int bits, int chains, float* numbers, int64_t iterations, float a,
                 float b) {
  Chains(kernel, bits, chains, numbers, iterations, a, b);
}
void MapDouble(Kernel kernel, int bits, const double* x, double* y, int64_t passes) {
  Map(kernel, bits, x, y, passes);
}
void MapFloat(Kernel kernel, int bits, const float* x, float* y, int64_t passes) {
  Map(kernel, bits, x, y, passes);
}

// Widths beyond 512 bits are used at 512.
int WidestBits() {
  return std::min<int>(512,
                       static_cast<int>(8 * sizeof(double) * hn::Lanes(hn::ScalableTag<double>())));
}
int ChainCount() { return chains_of_target; }
const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace hakaru::probes::arithmetic::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hakaru::probes::arithmetic {

HWY_EXPORT(ChainsDouble);
HWY_EXPORT(ChainsFloat);
HWY_EXPORT(MapDouble);
HWY_EXPORT(MapFloat);
HWY_EXPORT(WidestBits);
HWY_EXPORT(ChainCount);
HWY_EXPORT(TargetName);

template <>
void run_chains<double>(Kernel kernel, int bits, int chains, double* numbers,
                        std::int64_t iterations, double a, double b) {
  HWY_DYNAMIC_DISPATCH(ChainsDouble)(kernel, bits, chains, numbers, iterations, a, b);
}
template <>
void run_chains<float>(Kernel kernel, int bits, int chains, float* numbers, std::int64_t iterations,
                       float a, float b) {
  HWY_DYNAMIC_DISPATCH(ChainsFloat)(kernel, bits, chains, numbers, iterations, a, b);
}
template <>
void run_map<double>(Kernel kernel, int bits, const double* x, double* y, std::int64_t passes) {
  HWY_DYNAMIC_DISPATCH(MapDouble)(kernel, bits, x, y, passes);
}
template <>
void run_map<float>(Kernel kernel, int bits, const float* x, float* y, std::int64_t passes) {
  HWY_DYNAMIC_DISPATCH(MapFloat)(kernel, bits, x, y, passes);
}

std::string instruction_set() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }
int widest_bits() { return HWY_DYNAMIC_DISPATCH(WidestBits)(); }
int independent_chains() { return HWY_DYNAMIC_DISPATCH(ChainCount)(); }

std::uint64_t run_clock_chain(std::uint64_t x, std::uint64_t a, std::uint64_t b,
                              std::int64_t iterations) {
  constexpr int unrolled = 16;
  std::int64_t i = 0;
  for (; i + unrolled <= iterations; i += unrolled)
#pragma GCC unroll 16
    for (int k = 0; k < unrolled; ++k) x = (x ^ a) + b;
  for (; i < iterations; ++i) x = (x ^ a) + b;
  return x;
}

std::string name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::add:
      return "add";
    case Kernel::multiply:
      return "multiply";
    case Kernel::fma:
      return "fma";
    case Kernel::divide:
      return "divide";
    case Kernel::square_root:
      return "square root";
    case Kernel::polynomial:
      return "polynomial";
    case Kernel::exponential:
      return "exponential";
  }
  return "";
}

}  // namespace hakaru::probes::arithmetic
#endif
