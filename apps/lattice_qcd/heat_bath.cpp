#include "apps/lattice_qcd/heat_bath.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::lattice_qcd {
namespace {

// x0 + i x.sigma; its length is 1 in SU(2).
struct Quaternion {
  double x[4];
  double length() const { return std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]); }
};

Quaternion conjugate(const Quaternion& q) { return {{q.x[0], -q.x[1], -q.x[2], -q.x[3]}}; }

Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {{a.x[0] * b.x[0] - a.x[1] * b.x[1] - a.x[2] * b.x[2] - a.x[3] * b.x[3],
           a.x[0] * b.x[1] + a.x[1] * b.x[0] - a.x[2] * b.x[3] + a.x[3] * b.x[2],
           a.x[0] * b.x[2] + a.x[2] * b.x[0] - a.x[3] * b.x[1] + a.x[1] * b.x[3],
           a.x[0] * b.x[3] + a.x[3] * b.x[0] - a.x[1] * b.x[2] + a.x[2] * b.x[1]}};
}

constexpr int subgroups = 3;
constexpr int rows_of[subgroups][2] = {{0, 1}, {1, 2}, {0, 2}};

// The part of a 2 x 2 block that Re Tr(g w) sees: Re Tr(g w) = 2 (g w')_0 for g in SU(2).
Quaternion seen(const Matrix& w, int subgroup) {
  const auto [i, j] = rows_of[subgroup];
  return {{0.5 * (w.e[i][i].real() + w.e[j][j].real()), 0.5 * (w.e[i][j].imag() + w.e[j][i].imag()),
           0.5 * (w.e[i][j].real() - w.e[j][i].real()),
           0.5 * (w.e[i][i].imag() - w.e[j][j].imag())}};
}

// g m, where g acts on two rows.
void multiply_rows(Matrix& m, const Quaternion& g, int subgroup) {
  const auto [i, j] = rows_of[subgroup];
  const Complex a(g.x[0], g.x[3]), b(g.x[2], g.x[1]);
  for (int column = 0; column < 3; ++column) {
    const Complex upper = m.e[i][column], lower = m.e[j][column];
    m.e[i][column] = a * upper + b * lower;
    m.e[j][column] = std::conj(a) * lower - std::conj(b) * upper;
  }
}

// In SU(2) by the density of its trace, in a uniform direction.
Quaternion sample(double alpha, Random& random) {
  const double a0 = sample_trace(alpha, random), length = std::sqrt(std::max(0.0, 1.0 - a0 * a0));
  const double z = 2.0 * random.uniform() - 1.0, rho = std::sqrt(1.0 - z * z);
  const double phi = 2.0 * std::numbers::pi * random.uniform();
  return {{a0, length * rho * std::cos(phi), length * rho * std::sin(phi), length * z}};
}

Extents moved(Extents x, int axis, int by) {
  x[axis] += by;
  return x;
}

template <typename New>
void update_all(GaugeField& field, const Timing& timing, const New& link) {
  const Extents local = field.place().local;
  const std::int64_t sites = product(local);
  for (const int parity : {0, 1})
    for (int axis = 0; axis < axes; ++axis) {
      {
        auto phase = timing.in(timing.links);
#pragma omp parallel for
        for (std::int64_t i = 0; i < sites; ++i) {
          const Extents x = point_of(i, local);
          if (parity_of(x) == parity) field.at(x, axis) = link(x, axis);
        }
      }
      auto phase = timing.in(timing.link_halo);
      field.exchange(axis);
    }
}

}  // namespace

double sample_trace(double alpha, Random& random) {
  double delta;
  do {
    const double angle = std::cos(2.0 * std::numbers::pi * random.uniform());
    const double first = std::log(random.uniform()), second = std::log(random.uniform());
    delta = -(second + first * angle * angle) / alpha;
  } while (!(std::pow(random.uniform(), 2) <= 1.0 - 0.5 * delta));
  return 1.0 - delta;
}

Matrix staples(const GaugeField& field, const Extents& x, int mu) {
  Matrix sum;
  for (int nu = 0; nu < axes; ++nu) {
    if (nu == mu) continue;
    const Extents ahead = moved(x, mu, 1), below = moved(x, nu, -1);
    sum += field.at(ahead, nu) * adjoint(field.at(x, nu) * field.at(moved(x, nu, 1), mu));
    sum += adjoint(field.at(below, mu) * field.at(moved(ahead, nu, -1), nu)) * field.at(below, nu);
  }
  return sum;
}

Matrix heat_bath_link(const Matrix& link, const Matrix& staples, double beta,
                      const Random& random_) {
  Random random = random_;
  Matrix u = link, w = link * staples;
  for (int subgroup = 0; subgroup < subgroups; ++subgroup) {
    const Quaternion v = seen(w, subgroup);
    const double k = v.length();
    if (!(k > 1e-12)) continue;
    const Quaternion unit{{v.x[0] / k, v.x[1] / k, v.x[2] / k, v.x[3] / k}};
    const Quaternion g = sample(2.0 * beta * k / 3.0, random) * conjugate(unit);
    multiply_rows(u, g, subgroup);
    multiply_rows(w, g, subgroup);
  }
  return reunitarised(u);
}

Matrix over_relaxed_link(const Matrix& link, const Matrix& staples) {
  Matrix u = link, w = link * staples;
  for (int subgroup = 0; subgroup < subgroups; ++subgroup) {
    const Quaternion v = seen(w, subgroup);
    const double k = v.length();
    if (!(k > 1e-12)) continue;
    const Quaternion back = conjugate({{v.x[0] / k, v.x[1] / k, v.x[2] / k, v.x[3] / k}});
    const Quaternion g = back * back;
    multiply_rows(u, g, subgroup);
    multiply_rows(w, g, subgroup);
  }
  return reunitarised(u);
}

void over_relax(GaugeField& field, const Timing& timing) {
  update_all(field, timing, [&](const Extents& x, int axis) {
    return over_relaxed_link(field.at(x, axis), staples(field, x, axis));
  });
}

void sweep(GaugeField& field, const Update& update, std::uint64_t number, const Timing& timing) {
  update_all(field, timing, [&](const Extents& x, int axis) {
    const auto site = static_cast<std::uint64_t>(field.place().global_index(x));
    const Random random{update.seed, number, site, static_cast<std::uint64_t>(axis)};
    return heat_bath_link(field.at(x, axis), staples(field, x, axis), update.beta, random);
  });
  for (int pass = 0; pass < update.over_relaxations; ++pass) over_relax(field, timing);
}

}  // namespace hakaru::apps::lattice_qcd
