// The SP problem of the NAS Parallel Benchmarks (Bailey et al., RNR-91-002 and RNR-94-007, chapter
// on simulated applications): classes, constants of the equations, manufactured solution, published
// norms.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "native/base/parameters.hpp"
#include "native/parallel/slab.hpp"

namespace hakaru::apps::sp {

inline constexpr int components = 5;  // density, momentum along x, y, z, energy
using State = std::array<double, components>;

using parallel::along_x;
using parallel::along_y;
using parallel::along_z;
using parallel::Axis;

// direct: as few moves as the decomposition needs. published: moves, barriers and reductions as
// Table 5 of the AP1000+ paper counts them, see README.md.
enum class Style { direct, published };

struct Plan {
  std::int64_t n;  // points in each direction, with the boundary
  std::int64_t iterations;
  double dt;
  Style style;
  int ranks;
};

Plan plan_of(const base::Parameters& parameters, int ranks);

// Constants of the equations: ratio of specific heats c1, c2 = c1 - 1, viscosity c3 c4.
inline constexpr double c1 = 1.4, c2 = 0.4, c3c4 = 0.1, c1c2 = c1 * c2, c1c5 = 1.96;
inline constexpr double third_damping = 0.25;  // of the fourth differences (dssp)
// Second-difference coefficient of a direction, the same for all components.
inline constexpr std::array<double, 3> diffusion = {0.75, 0.75, 1.0};

// The solution that the forcing keeps steady, at a point of the unit cube: a sum of polynomials of
// degree four in one coordinate each.
State exact(double xi, double eta, double zeta);
// Exact on the boundary; inside, blended from the six faces.
State initial(double xi, double eta, double zeta);

// Operations that NPB 3 counts for one iteration.
double nominal_operations(std::int64_t n);

struct Norms {
  State residual, error;  // root mean squares by component
};
// Of the class with this size, time step and number of iterations.
std::optional<Norms> published_norms(const Plan& plan);

}  // namespace hakaru::apps::sp
