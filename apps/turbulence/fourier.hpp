// The one-dimensional complex transforms that everything here is made of, through FFTW.
//
// Two real fields f, g are transformed as one complex field f + ig, because FFTW's complex
// transforms of neighbouring lines use the vector unit fully and its real ones do not. Every plan
// has the same shape at every number of ranks and threads, and all ranks take the plans of rank 0,
// so that a spectrum does not depend on the distribution in any bit.
#pragma once

#include <fftw3.h>

#include "apps/turbulence/grid.hpp"
#include "native/parallel/communicator.hpp"

namespace hakaru::apps::turbulence {

enum class Rigor { estimate, measure, patient };

// An in-place FFTW plan that threads may execute at the same time on arrays aligned to 32 B.
class Plan {
 public:
  Plan() = default;
  explicit Plan(fftw_plan plan) : plan_(plan) {}
  Plan(Plan&& other) noexcept : plan_(std::exchange(other.plan_, nullptr)) {}
  Plan& operator=(Plan&& other) noexcept {
    std::swap(plan_, other.plan_);
    return *this;
  }
  ~Plan() {
    if (plan_) fftw_destroy_plan(plan_);
  }
  void operator()(Complex* values) const {
    auto* data = reinterpret_cast<fftw_complex*>(values);
    fftw_execute_dft(plan_, data, data);
  }

 private:
  fftw_plan plan_ = nullptr;
};

// A transform without normalisation in both directions: inverse exp(+ikx), forward exp(-ikx).
struct TransformPair {
  Plan inverse, forward;
};

struct Plans {
  // Collective over `world`.
  Plans(int n, Rigor rigor, const parallel::Communicator& world);

  int width;                // columns of `lines`, = Grid::block_width(n)
  int row_width;            // columns of `columns`
  int row_stride;           // complex values from one row to the next in `rows`
  TransformPair lines;      // [n][width]: along the first index
  TransformPair columns;    // [n][row_width]: along the first index
  TransformPair rows;       // [cutoff + 1][row_stride]: n values along the second index
  TransformPair full_rows;  // [n / 2][row_stride]: the same without truncation

  static int row_width_of(int n);
  static int row_stride_of(int n) {
    return n + 8;
  }  // no power of two: rows fall into different cache sets
};

}  // namespace hakaru::apps::turbulence
