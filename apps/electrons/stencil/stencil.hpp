// The kernel of the time step: the local part of the Kohn-Sham Hamiltonian on a periodic grid,
//   h u = [ V(r) + (1/2) (-i grad + K)^2 ] u,    K = k + a,  Hartree atomic units,
// by eighth-order central differences (half width 4): the point and 8 neighbours along each axis.
// Bertsch, Iwata, Rubio, Yabana, Phys. Rev. B 62, 7998 (2000).
//
// An orbital is an array of complex numbers [x][y][z], z contiguous, without padding; a potential
// is an array of real numbers of the same shape. Arrays of one call must not overlap; they should
// begin on lines of the cache (64 B).
// Every axis needs at least 4 points; the others are refused with an error that says so.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hakaru::apps::electrons {

using Complex = std::complex<double>;

// Points the stencil reaches along an axis on each side.
inline constexpr int stencil_reach = 4;

// Flops of one application per point and of one Taylor update per point, as the publication counts
// them (README.md says which operations).
inline constexpr double stencil_flops_per_point = 158.0;
inline constexpr double update_flops_per_point = 8.0;

struct Grid {
  std::array<std::size_t, 3> points;
  std::array<double, 3> spacing_bohr;

  std::size_t count() const { return points[0] * points[1] * points[2]; }
};

// (h u)(r) = (V(r) + centre) u(r) + sum over axes and m = 1..4 of
//   laplacian[axis][m-1] (u(r+m) + u(r-m)) - i gradient[axis][m-1] (u(r+m) - u(r-m)),  in hartree.
struct StencilCoefficients {
  double centre = 0.0;
  double laplacian[3][stencil_reach] = {};
  double gradient[3][stencil_reach] = {};
};

// For the wave vector K = k + a in 1/bohr, each cell axis along its Cartesian one.
StencilCoefficients stencil_coefficients(const Grid& grid,
                                         const std::array<double, 3>& wave_vector_per_bohr);

enum class Variant {
  compiler,      // plain C++ that the compiler vectorises
  explicit_simd  // Google Highway, the widest vectors of the processor at run time
};

struct StencilOptions {
  Variant variant = Variant::explicit_simd;
  // How far ahead of each read row the explicit variant asks for its data; 0: it does not ask.
  std::size_t prefetch_bytes = 0;
};

// out = h in.
void apply(const StencilCoefficients& coefficients, const Grid& grid, const double* potential,
           const Complex* in, Complex* out, const StencilOptions& options = {});

// out = h in and sum += factor in, while `in` is in registers: the Taylor step
//   sum_n (-i dt)^n / n! h^n u   adds the term n - 1 while it computes the term n.
void apply_accumulate(const StencilCoefficients& coefficients, const Grid& grid,
                      const double* potential, const Complex* in, Complex* out, Complex factor,
                      Complex* sum, const StencilOptions& options = {});

// sum += factor in: the last term of the Taylor step.
void accumulate(const Grid& grid, const Complex* in, Complex factor, Complex* sum);

// Orbitals to work in, each at the beginning of a line of the cache: from other places the fused
// form is slower by a fifth, since every read of a vector then touches two lines.
class WorkOrbitals {
 public:
  static constexpr std::size_t line_bytes = 64;

  WorkOrbitals(std::size_t points, std::size_t count)
      : pitch_((points + line_points - 1) / line_points * line_points),
        memory_(count * pitch_ + line_points) {
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory_.data()) % line_bytes;
    first_ = (line_bytes - beyond) % line_bytes / sizeof(Complex);
  }
  Complex* operator[](std::size_t which) { return memory_.data() + first_ + which * pitch_; }

 private:
  static constexpr std::size_t line_points = line_bytes / sizeof(Complex);
  std::size_t pitch_;
  std::vector<Complex> memory_;
  std::size_t first_;
};

// The instruction set that a variant runs with on this processor: "AVX3", "AVX2", ...
std::string stencil_target(Variant variant);

// The instruction sets of the explicit variant that this processor has, best first, and the choice
// of one of them for this process (empty: the best). For tests and comparisons.
std::vector<std::string> stencil_targets();
void choose_stencil_target(const std::string& name);

}  // namespace hakaru::apps::electrons
