// The transform over all ranks: FFTW for the rows, native/parallel for the transpositions.
#pragma once

#include <fftw3.h>

#include <array>
#include <complex>
#include <memory>
#include <vector>

#include "apps/mpi_fft/shape.hpp"
#include "native/base/aligned.hpp"
#include "native/base/phases.hpp"
#include "native/parallel/communicator.hpp"
#include "native/parallel/transpose.hpp"

namespace hakaru::apps::mpi_fft {

using Complex = std::complex<double>;

// timed: FFTW tries algorithms, and rounding depends on which was fastest; equal: the same
// algorithm in every process.
enum class Planning { timed, equal };

class Transform {
 public:
  // Collective. `world` has as many ranks as the shape and outlives this object.
  Transform(const Shape& shape, const parallel::Communicator& world,
            parallel::TransposeMethod method, Planning planning);

  // shape.own() numbers of each rank in natural order, from and to; forward is not scaled, inverse
  // is divided by the length. `to` may be `from`. Collective.
  void operator()(Direction direction, const Complex* from, Complex* to, base::Phases& phases);

  static double memory_bytes(const Shape& shape) {
    return 16.0 * 3.0 * static_cast<double>(shape.length());
  }

 private:
  friend class TransformRunner;
  void plan(Planning planning);
  Complex factor(std::int64_t exponent) const;

  struct Destroy {
    void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
  };
  using Plan = std::unique_ptr<fftw_plan_s, Destroy>;

  Shape shape_;
  const parallel::Communicator& world_;
  base::AlignedArray<Complex> near_, far_, work_;
  parallel::SlabTranspose transpose_;
  std::array<std::array<Plan, 2>, 2> plans_;  // by which of n1 and n2, and by direction
  // w_N^(low + high 2^low_bits) as a product of two.
  int low_bits_;
  std::vector<Complex> low_, high_;
};

}  // namespace hakaru::apps::mpi_fft
