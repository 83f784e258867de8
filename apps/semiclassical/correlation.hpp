// The Herman-Kluk propagator (Herman and Kluk, Chem. Phys. 91, 27 (1984)) as a mean over
// trajectories: for the wave packet |0> of centre (q_c, p_c)
//   <0| exp(-iHt/hbar) |0> = mean of C_t exp(i S_t / hbar) <0|q_t p_t> / <0|q_0 p_0>
// where (q_0, p_0) have the density |<0|q_0 p_0>|^2 / (2 pi hbar)^N, whose variances are 1 / width
// and width hbar^2; Gaussians are exp(-width (x - q)^2 / 2 + i p (x - q) / hbar), normalised.
// C_t is the square root of the determinant of kernels.hpp, continuous in time.
#pragma once

#include <complex>
#include <vector>

#include "apps/semiclassical/propagation.hpp"
#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::semiclassical {

// What is summed at each output: real part, imaginary part, square of the magnitude, one for each
// lost trajectory.
inline constexpr int quantities = 4;

struct Tally {
  explicit Tally(const Settings& settings)
      : sums(static_cast<std::size_t>(quantities * settings.outputs())) {}
  void merge(const Tally& other);

  std::vector<parallel::ExactSum> sums;  // [output][quantity]
  double worst_branch = 0.0;  // of the phase of a determinant: from what was extrapolated, over pi
  double worst_energy = 0.0;  // relative change, of trajectories that are not lost
};

// Centre of a trajectory, by its number.
void sample(const Settings& settings, std::int64_t number, double* q, double* p);
// ln <0|q p>
std::complex<double> log_overlap(const Settings& settings, const double* q, const double* p);

// Follows the trajectories of a block.
class Correlator {
 public:
  explicit Correlator(const Settings& settings, Block& block);

  // Trajectories [first, first + count) at time zero; lanes that are left over repeat the last.
  void start(std::int64_t first, std::int64_t count, const Clock& clock);
  // The same at given points, [trajectory][n].
  void start_at(const std::vector<std::vector<double>>& q,
                const std::vector<std::vector<double>>& p, const Clock& clock);
  void output(std::int64_t index, Tally& tally, const Clock& clock);

  // What output() added for a trajectory the last time, and C_t.
  const std::vector<std::complex<double>>& values() const { return values_; }
  const std::vector<std::complex<double>>& prefactors() const { return prefactors_; }

 private:
  struct Track {
    std::complex<double> start;  // ln <0|q_0 p_0>
    double angle = 0.0, raw = 0.0, increment = 0.0, energy = 0.0, scale = 0.0;
    bool lost = false;
  };
  void put(std::int64_t i, const double* q, const double* p);
  void get(std::int64_t i);
  void begin();
  void follow(Track& track, double raw, Tally& tally) const;
  void add(std::int64_t i, std::int64_t index, double log_magnitude, Tally& tally);

  const Settings& settings_;
  Block& block_;
  std::int64_t count_ = 0;
  std::vector<Track> tracks_;
  std::vector<double> q_, p_;
  base::AlignedArray<double> scratch_;
  std::vector<Determinant> determinants_;
  std::vector<std::complex<double>> values_, prefactors_;
};

}  // namespace hakaru::apps::semiclassical
