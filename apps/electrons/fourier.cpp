#include "apps/electrons/fourier.hpp"

#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

fftw_complex* raw(Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

fftw_plan plan(const Shape& n, int sign) {
  std::vector<Complex> scratch(static_cast<std::size_t>(n[0]) * n[1] * n[2]);
  fftw_plan made = fftw_plan_dft_3d(n[0], n[1], n[2], raw(scratch.data()), raw(scratch.data()),
                                    sign, FFTW_ESTIMATE | FFTW_UNALIGNED);
  base::require_environment(made != nullptr, "FFTW has no plan for a transform",
                            "fftw_plan_dft_3d returned none", "choose another grid");
  return made;
}

}  // namespace

Fourier::Fourier(const Shape& points)
    : forward_(plan(points, FFTW_FORWARD)), backward_(plan(points, FFTW_BACKWARD)) {}

Fourier::~Fourier() {
  fftw_destroy_plan(forward_);
  fftw_destroy_plan(backward_);
}

void Fourier::forward(Complex* values) const {
  fftw_execute_dft(forward_, raw(values), raw(values));
}

void Fourier::backward(Complex* values) const {
  fftw_execute_dft(backward_, raw(values), raw(values));
}

}  // namespace hakaru::apps::electrons
