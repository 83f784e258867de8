#include "apps/electrons/pseudopotential.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "native/base/require.hpp"

namespace hakaru::apps::electrons {
namespace {

using std::numbers::pi;

// -4 pi Z exp(-G^2 w) / G^2, at G = 0 without its divergence: 4 pi Z w.
double coulomb(double valence, double w, double g2) {
  return g2 > 0.0 ? -4.0 * pi * valence * std::exp(-g2 * w) / g2 : 4.0 * pi * valence * w;
}

}  // namespace

double Pseudopotential::local(double g2) const {
  if (kind == Kind::appelbaum_hamann) {
    const double al = local_width, w = 0.25 / al;
    return coulomb(valence, w, g2) +
           std::pow(pi / al, 1.5) * std::exp(-g2 * w) *
               (local_first + local_second * (1.5 / al - g2 / (4.0 * al * al)));
  }
  const double r2 = local_width * local_width, w = 0.5 * r2;
  return coulomb(valence, w, g2) + std::sqrt(8.0 * pi * pi * pi) * r2 * local_width *
                                       std::exp(-g2 * w) *
                                       (local_first + local_second * (3.0 - g2 * r2));
}

double Pseudopotential::widest() const {
  double radius = 0.0;
  for (const Channel& channel : channels) radius = std::max(radius, channel.radius);
  return radius;
}

double projector_of_g(const Channel& channel, int i, double g) {
  const double r = channel.radius, x2 = g * r * g * r;
  const double common = std::pow(pi, 1.25) * std::exp(-0.5 * x2);
  if (channel.l == 0 && i == 0) return 4.0 * std::sqrt(2.0 * r * r * r) * common;
  if (channel.l == 0 && i == 1)
    return 8.0 * std::sqrt(2.0 * r * r * r / 15.0) * common * (3.0 - x2);
  HAKARU_EXPECTS(channel.l == 1 && i == 0);
  return 8.0 * std::sqrt(std::pow(r, 5) / 3.0) * common * g;
}

// sqrt2 r^(l+2(i-1)) exp(-r^2 / 2 r_l^2) / (r_l^(l+(4i-1)/2) sqrt(Gamma(l+(4i-1)/2))), i from 1.
double projector_of_r(const Channel& channel, int i, double r) {
  const double rl = channel.radius, order = channel.l + 0.5 * (4 * (i + 1) - 1);
  return std::numbers::sqrt2 * std::pow(r, channel.l + 2 * i) * std::exp(-0.5 * r * r / (rl * rl)) /
         (std::pow(rl, order) * std::sqrt(std::tgamma(order)));
}

double harmonic(int l, int m, double x, double y, double z) {
  if (l == 0) return 0.5 / std::sqrt(pi);
  HAKARU_EXPECTS(l == 1 && m >= 0 && m < 3);
  return std::sqrt(0.75 / pi) * (m == 0 ? x : m == 1 ? y : z);
}

Pseudopotential gth_silicon() {
  return {"Si GTH",
          Pseudopotential::Kind::gth,
          4.0,
          0.44,
          -7.33610297,
          0.0,
          {{0, 0.42273813, 2, {{{5.90692831, -1.26189397}, {-1.26189397, 3.25819622}}}},
           {1, 0.48427842, 1, {{{2.72701346, 0.0}, {0.0, 0.0}}}}}};
}

Pseudopotential gth_oxygen() {
  return {"O GTH",
          Pseudopotential::Kind::gth,
          6.0,
          0.24762086,
          -16.58031797,
          2.39570092,
          {{0, 0.22178614, 1, {{{18.26691718, 0.0}, {0.0, 0.0}}}}}};
}

Pseudopotential gth_carbon() {
  return {"C GTH",
          Pseudopotential::Kind::gth,
          4.0,
          0.34883045,
          -8.51377110,
          1.22843203,
          {{0, 0.30455321, 1, {{{9.52284179, 0.0}, {0.0, 0.0}}}}}};
}

Pseudopotential appelbaum_hamann_silicon() {
  return {"Si AH", Pseudopotential::Kind::appelbaum_hamann, 4.0, 0.6102, 3.042, -1.372, {}};
}

}  // namespace hakaru::apps::electrons
