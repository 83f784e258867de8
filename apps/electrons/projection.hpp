// What separable projectors need of an orbital and give to it, for one sphere:
//   <P_p|u> = sum_r p_p(r) exp(iK(r - R)) u(r),   w = sum_p P_p c_p,   P(r) = exp(-iK(r - R)) p(r).
#pragma once

#include "apps/electrons/sphere.hpp"
#include "apps/electrons/stencil/stencil.hpp"

namespace hakaru::apps::electrons::projection {

// One atom's sphere with the phases of one K. Nothing is owned.
struct Site {
  const Sphere& sphere;
  const std::uint32_t* windows;  // first point of each window, [block][2]
  const double* phases;          // set_phases
};

// <P_p|u> of all projectors.
void project(const Site& site, const Complex* u, Complex* products, Variant variant);

// out += sum_p P_p c_p
void add(const Site& site, const Complex* factors, Complex* out, Variant variant);

// sum_r (r - R) Im conj(u) w, bohr.
Vector moments(const Site& site, const Complex* factors, const Complex* u, Variant variant);

void project_compiler(const Site& site, const Complex* u, Complex* products);
void add_compiler(const Site& site, const Complex* factors, Complex* out);
Vector moments_compiler(const Site& site, const Complex* factors, const Complex* u);

void project_explicit(const Site& site, const Complex* u, Complex* products);
void add_explicit(const Site& site, const Complex* factors, Complex* out);
Vector moments_explicit(const Site& site, const Complex* factors, const Complex* u);

}  // namespace hakaru::apps::electrons::projection
