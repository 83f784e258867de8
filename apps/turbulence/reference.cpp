#include "apps/turbulence/reference.hpp"

#include <fftw3.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hakaru::apps::turbulence {
namespace {

// A real field on m points a direction and its half spectrum, indexed (kx, ky, kz) with kz >= 0 and
// wrapped kx, ky.
class Field {
 public:
  explicit Field(int m)
      : m_(m), spectrum_(std::size_t(m) * m * (m / 2 + 1)), values_(std::size_t(m) * m * m) {
    auto* data = reinterpret_cast<fftw_complex*>(spectrum_.data());
    inverse_ = fftw_plan_dft_c2r_3d(m, m, m, data, values_.data(), FFTW_ESTIMATE);
    forward_ = fftw_plan_dft_r2c_3d(m, m, m, values_.data(), data, FFTW_ESTIMATE);
  }
  ~Field() {
    fftw_destroy_plan(inverse_);
    fftw_destroy_plan(forward_);
  }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  Complex& mode(int kx, int ky, int kz) {
    return spectrum_[(std::size_t((kx + m_) % m_) * m_ + (ky + m_) % m_) * (m_ / 2 + 1) + kz];
  }
  std::vector<double>& values() { return values_; }
  void to_values() { fftw_execute(inverse_); }
  void to_modes() {
    for (auto& value : values_) value /= std::pow(m_, 3);
    fftw_execute(forward_);
  }

 private:
  int m_;
  std::vector<Complex> spectrum_;
  std::vector<double> values_;
  fftw_plan inverse_, forward_;
};

std::vector<Complex> rate_on(int m, int n, const std::vector<Complex>& velocity) {
  const Grid grid(n, 0, 1);
  std::array<Field, 3> u{Field(m), Field(m), Field(m)}, w{Field(m), Field(m), Field(m)};
  const Complex i(0.0, 1.0);
  auto mode = velocity.begin();
  grid.for_each_mode([&](int, int kx, int ky, int kz) {
    const Complex value[3] = {mode[0], mode[1], mode[2]};
    const double k[3] = {double(kx), double(ky), double(kz)};
    mode += 3;
    for (int c = 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      u[c].mode(kx, ky, kz) = value[c];
      w[c].mode(kx, ky, kz) = i * (k[a] * value[b] - k[b] * value[a]);
    }
  });
  for (int c = 0; c < 3; ++c) u[c].to_values(), w[c].to_values();
  for (std::size_t point = 0; point < u[0].values().size(); ++point) {
    std::array<double, 3> a, b;
    for (int c = 0; c < 3; ++c) a[c] = u[c].values()[point], b[c] = w[c].values()[point];
    for (int c = 0; c < 3; ++c)
      u[c].values()[point] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
  }
  for (auto& field : u) field.to_modes();
  std::vector<Complex> rate;
  rate.reserve(velocity.size());
  grid.for_each_mode([&](int, int kx, int ky, int kz) {
    const double k[3] = {double(kx), double(ky), double(kz)};
    const double k_squared = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    Complex along = 0.0;
    for (int c = 0; c < 3; ++c) along += k[c] * u[c].mode(kx, ky, kz);
    for (int c = 0; c < 3; ++c)
      rate.push_back(k_squared == 0.0 ? Complex{}
                                      : u[c].mode(kx, ky, kz) - k[c] * along / k_squared);
  });
  return rate;
}

}  // namespace

std::vector<Complex> padded_rate(int n, const std::vector<Complex>& velocity) {
  return rate_on(2 * n, n, velocity);
}

std::vector<Complex> aliased_rate(int n, const std::vector<Complex>& velocity) {
  return rate_on(n, n, velocity);
}

double distance(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double difference = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return difference / scale;
}

}  // namespace hakaru::apps::turbulence
