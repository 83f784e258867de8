#include "apps/semiclassical/kernels.hpp"

// Blocks of vectors are arrays here, which vectors of unknown length cannot be in.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

// gcc reads an operand of several instructions from memory each time, and load ports are scarce.
#define HAKARU_LOADED_ONCE(vector) (void)(vector)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#undef HAKARU_LOADED_ONCE
#define HAKARU_LOADED_ONCE(vector) asm("" : "+v"(vector.raw))
#endif

// The order matters: foreach_target includes this file again for every target.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/semiclassical/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
#include "apps/semiclassical/determinant-inl.hpp"
#include "apps/semiclassical/potentials-inl.hpp"
#include "apps/semiclassical/products-inl.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace hakaru::apps::semiclassical::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

int Lanes() { return static_cast<int>(hn::MaxLanes(hn::ScalableTag<double>())); }
int Panel() { return panel; }
const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

}  // namespace hakaru::apps::semiclassical::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hakaru::apps::semiclassical {

HWY_EXPORT(Evaluate);
HWY_EXPORT(Drift);
HWY_EXPORT(Kick);
HWY_EXPORT(KineticEnergy);
HWY_EXPORT(AdvanceColumns);
HWY_EXPORT(FindDeterminant);
HWY_EXPORT(Lanes);
HWY_EXPORT(Panel);
HWY_EXPORT(TargetName);

Shape::Shape(int degrees) : n(degrees), lanes(vector_lanes()) {}

std::size_t Shape::size() const {
  const auto rows = static_cast<std::size_t>(n);
  return static_cast<std::size_t>(lanes) *
         (3 * rows + 3 + rows * hessian_pitch() + 2 * rows * pitch());
}

Batch::Batch(const Shape& shape, double* memory) {
  const auto take = [&](std::size_t vectors) {
    double* const begin = memory;
    memory += vectors * static_cast<std::size_t>(shape.lanes);
    return begin;
  };
  const auto n = static_cast<std::size_t>(shape.n);
  q = take(n), p = take(n), force = take(n);
  potential = take(1), kinetic = take(1), action = take(1);
  hessian = take(n * shape.hessian_pitch());
  mq = take(n * shape.pitch()), mp = take(n * shape.pitch());
}

void evaluate(const Model& model, const Shape& shape, const Batch& batch) {
  HWY_DYNAMIC_DISPATCH(Evaluate)(model, shape, batch);
}
void drift(const Shape& shape, const Batch& batch, const double* g, double time) {
  HWY_DYNAMIC_DISPATCH(Drift)(shape, batch, g, time);
}
void kick(const Shape& shape, const Batch& batch, double time) {
  HWY_DYNAMIC_DISPATCH(Kick)(shape, batch, time);
}
void kinetic_energy(const Shape& shape, const Batch& batch, const double* g) {
  HWY_DYNAMIC_DISPATCH(KineticEnergy)(shape, batch, g);
}
void advance_columns(const Shape& shape, const Batch& batch, const double* g, const Stage& stage,
                     int begin, int end) {
  HWY_DYNAMIC_DISPATCH(AdvanceColumns)(shape, batch, g, stage, begin, end);
}
void determinant(const Shape& shape, const Batch& batch, double hbar_width, double* memory,
                 Determinant& result) {
  HWY_DYNAMIC_DISPATCH(FindDeterminant)(shape, batch, hbar_width, memory, result);
}
int vector_lanes() { return HWY_DYNAMIC_DISPATCH(Lanes)(); }
int panel_columns() { return HWY_DYNAMIC_DISPATCH(Panel)(); }
std::string vector_target() { return HWY_DYNAMIC_DISPATCH(TargetName)(); }

std::size_t determinant_size(const Shape& shape) {
  const auto n = static_cast<std::size_t>(shape.n);
  return static_cast<std::size_t>(shape.lanes) * (2 * n * (n | 1) + 2 * n);
}

double products_flops(const Model& model) {
  const double n = model.n, square = n * n, cube = square * n;
  const double drifts = model.unit_kinetic() ? 16.0 * square : 16.0 * cube + 16.0 * square;
  return 12.0 * cube + 12.0 * square + drifts;
}
// 16/3 n^3 of the reflections, 8 n^2 to make the matrix.
double determinant_flops(int degrees) {
  const double n = degrees;
  return 16.0 / 3.0 * n * n * n + 24.0 * n * n;
}

}  // namespace hakaru::apps::semiclassical
#endif  // HWY_ONCE
