#include "apps/electrons/stencil/stencil.hpp"

#include <fmt/format.h>

#include "apps/electrons/stencil/planes.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::electrons {

void stencil::require_reach(const Grid& grid) {
  // Called millions of times: no word is composed before it is needed.
  for (std::size_t points : grid.points)
    if (points < stencil_reach)
      base::require(false, fmt::format("an axis has {} points", points),
                    fmt::format("the stencil reaches {} points on each side", stencil_reach),
                    fmt::format("give every axis at least {} points", stencil_reach));
}

namespace {

void run(const stencil::Problem& problem, Variant variant) {
  stencil::require_reach(problem.grid);
  HAKARU_EXPECTS(problem.in != problem.out && problem.in != problem.fused.sum &&
                 problem.out != problem.fused.sum);
  variant == Variant::compiler ? stencil::run_compiler(problem) : stencil::run_explicit(problem);
}

}  // namespace

void apply(const StencilCoefficients& coefficients, const Grid& grid, const double* potential,
           const Complex* in, Complex* out, const StencilOptions& options) {
  run({coefficients, grid, potential, in, out, {}, options.prefetch_bytes}, options.variant);
}

void apply_accumulate(const StencilCoefficients& coefficients, const Grid& grid,
                      const double* potential, const Complex* in, Complex* out, Complex factor,
                      Complex* sum, const StencilOptions& options) {
  HAKARU_EXPECTS(sum != nullptr);
  run({coefficients, grid, potential, in, out, {factor, sum}, options.prefetch_bytes},
      options.variant);
}

void accumulate(const Grid& grid, const Complex* in, Complex factor, Complex* sum) {
  const double* from = reinterpret_cast<const double*>(in);
  double* to = reinterpret_cast<double*>(sum);
  const double re = factor.real(), im = factor.imag();
  const std::size_t numbers = 2 * grid.count();
#pragma omp simd
  for (std::size_t i = 0; i < numbers; i += 2) {
    to[i] += re * from[i] - im * from[i + 1];
    to[i + 1] += re * from[i + 1] + im * from[i];
  }
}

std::string stencil_target(Variant variant) {
  return variant == Variant::compiler ? stencil::compiler_target() : stencil::explicit_target();
}

}  // namespace hakaru::apps::electrons
