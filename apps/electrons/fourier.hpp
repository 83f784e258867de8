// Three-dimensional transforms of a cell through FFTW. Plans are estimated, so that every run
// takes the same ones; any thread may execute them.
#pragma once

#include <fftw3.h>

#include "apps/electrons/cell_grid.hpp"

namespace hakaru::apps::electrons {

class Fourier {
 public:
  explicit Fourier(const Shape& points);
  ~Fourier();
  Fourier(const Fourier&) = delete;
  Fourier& operator=(const Fourier&) = delete;

  // In place, without normalisation: forward exp(-iGr), backward exp(+iGr).
  void forward(Complex* values) const;
  void backward(Complex* values) const;

 private:
  fftw_plan forward_ = nullptr, backward_ = nullptr;
};

}  // namespace hakaru::apps::electrons
