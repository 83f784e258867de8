// Negative viscosity c U_k in the band 0 < |k| < 2.5 that keeps the kinetic energy constant
// (Ishihara, Yokokawa, Kaneda).
#pragma once

#include <vector>

#include "apps/turbulence/grid.hpp"

namespace hakaru::apps::turbulence {

class Forcing {
 public:
  explicit Forcing(const Grid& grid);

  // Remembers the band of `velocity`, which may then be overwritten. Modes of the plane kz = 0 are
  // taken with their conjugate partners, (U(k) + conj U(-k)) / 2: rounding errors that no real
  // velocity has would otherwise grow like the band itself.
  void remember(const State& velocity);

  // Energy of the band of `velocity` in each local plane with kz <= 2, as sum w |U|^2 / 2 with w =
  // 1 for kz = 0 and 2 otherwise.
  std::vector<double> band_energy(const State& velocity) const;

  // c = eps / (2 E_band): dE/dt = -eps + 2 c E_band vanishes.
  static double coefficient(double dissipation, double band_energy) {
    return band_energy > 0.0 ? dissipation / (2.0 * band_energy) : 0.0;
  }

  // True when the row holds modes of the band.
  bool touches(const Block& block, int ky) const;
  // U -= k (k . U) / k^2 for the modes of the band in a row, row[component * width + ikx in block].
  // The forcing multiplies the part of U along k like the rest, so that rounding would grow by
  // exp(c t) if it stayed; all other modes lose theirs to viscosity.
  void make_solenoidal(const Block& block, int iky, Complex* row) const;
  // rate[component * stride + ikx in block] += c U_k for the remembered modes of the row.
  void add(const Block& block, int iky, double coefficient, Complex* rate,
           std::size_t stride) const;

 private:
  struct Mode {
    int plane, column, iky, lane;
    double k[3];
    std::size_t place[3], partner[3];  // partner = place but for kz = 0
    bool mirrored;
    Complex value[3];
  };
  const Grid& grid_;
  std::vector<Mode> modes_;
};

}  // namespace hakaru::apps::turbulence
