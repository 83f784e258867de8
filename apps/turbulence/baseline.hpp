// The 72 real three-dimensional transforms of a time step alone, to hold the step against.
#pragma once

#include <memory>

#include "apps/turbulence/solver.hpp"

namespace hakaru::apps::turbulence {

// By the solver's own plans, buffers and transposition: 48 inverse and 24 forward transforms of all
// lines, nothing truncated, and nothing done to the values between them.
class OwnBaseline {
 public:
  explicit OwnBaseline(Solver& solver) : solver_(solver), output_(solver.grid()) {}
  void run();  // collective

 private:
  void lines_to_slots();
  void planes();
  void slots_to_lines();
  Solver& solver_;
  State output_;
};

// By FFTW's own three-dimensional real plans (measured), on arrays of their own; one thread of one
// rank.
class FftwBaseline {
 public:
  explicit FftwBaseline(int n);
  ~FftwBaseline();
  FftwBaseline(const FftwBaseline&) = delete;
  FftwBaseline& operator=(const FftwBaseline&) = delete;
  void run();

 private:
  base::AlignedArray<Complex> spectrum_;
  base::AlignedArray<double> values_;
  fftw_plan inverse_, forward_;
};

}  // namespace hakaru::apps::turbulence
