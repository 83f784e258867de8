// The FT problem of the NAS Parallel Benchmarks (Bailey et al., RNR-91-002 and RNR-94-007): grids
// of the classes, how a run is divided and carried out, reference checksums.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "native/base/parameters.hpp"
#include "native/parallel/slab.hpp"

namespace hakaru::apps::ft {

using Complex = std::complex<double>;

using parallel::along_x;
using parallel::along_y;
using parallel::along_z;
using parallel::Axis;

struct Grid {
  std::array<std::int64_t, 3> n;  // points along x (fastest), y, z
  double points() const {
    return static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
  }
};

// direct: one transposition a 3-D transform. published: what Table 5 of the AP1000+ paper counts,
// see README.md.
enum class Style { direct, published };
enum class Method { put, alltoall };

struct Plan {
  Grid grid;
  std::int64_t iterations;
  Style style;
  Method method;
  int ranks;

  // Parts the checksum is summed in, each with a reduction for its real and its imaginary part;
  // one part: a single reduction of both.
  int checksum_parts() const { return style == Style::published ? 4 : 1; }
};

Plan plan_of(const base::Parameters& parameters, int ranks);
// Why the plan cannot run, or "".
std::string refuse(const Plan& plan);

inline constexpr double alpha = 1e-6;        // diffusivity
inline constexpr int checksum_terms = 1024;  // NPB: j = 1 ... 1024

// Operations that NPB 3 counts for the timed part (ft.f, Mop/s of the report).
double nominal_operations(const Plan& plan);

// Published checksums of the class with this grid and number of iterations, one for each iteration;
// empty when there are none.
std::vector<Complex> published_checksums(const Grid& grid, std::int64_t iterations);

}  // namespace hakaru::apps::ft
