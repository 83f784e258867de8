#include "apps/semiclassical/model.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::semiclassical {
namespace {

double henon_heiles(const Model& model, const double* q, double* gradient) {
  double v = 0.0;
  for (int k = 0; k < model.n; ++k) {
    v += 0.5 * q[k] * q[k];
    if (gradient) gradient[k] += q[k];
    if (k + 1 == model.n) continue;
    v += model.coupling * (q[k] * q[k] * q[k + 1] - q[k + 1] * q[k + 1] * q[k + 1] / 3.0);
    if (!gradient) continue;
    gradient[k] += 2.0 * model.coupling * q[k] * q[k + 1];
    gradient[k + 1] += model.coupling * (q[k] * q[k] - q[k + 1] * q[k + 1]);
  }
  return v;
}

double morse(const Model& model, const double* x, double* gradient) {
  double v = 0.0;
  for (int k = 0; k < model.n; ++k) {
    const double e = std::exp(-model.range * x[k]);
    v += model.depth * (1.0 - e) * (1.0 - e);
    if (gradient) gradient[k] += 2.0 * model.depth * model.range * (1.0 - e) * e;
    if (k + 1 == model.n) continue;
    const double d = x[k + 1] - x[k];
    v += 0.25 * model.coupling * d * d * d * d;
    if (!gradient) continue;
    gradient[k] -= model.coupling * d * d * d;
    gradient[k + 1] += model.coupling * d * d * d;
  }
  return v;
}

double lennard_jones(const Model& model, const double* q, double* gradient) {
  double v = 0.0;
  for (int a = 0; a < model.n; a += 3)
    for (int b = 0; b < a; b += 3) {
      const double d[3] = {q[a] - q[b], q[a + 1] - q[b + 1], q[a + 2] - q[b + 2]};
      const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      const double r6 = 1.0 / (r2 * r2 * r2);
      v += 4.0 * (r6 * r6 - r6);
      if (!gradient) continue;
      const double slope = -24.0 * (2.0 * r6 * r6 - r6) / r2;  // dV/dr / r
      for (int i = 0; i < 3; ++i) {
        gradient[a + i] += slope * d[i];
        gradient[b + i] -= slope * d[i];
      }
    }
  return v;
}

}  // namespace

std::vector<double> Model::kinetic_matrix() const {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> matrix(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    matrix[i * size + i] = unit_kinetic() ? 1.0 : 2.0;
    if (!unit_kinetic() && i + 1 < size)
      matrix[i * size + i + 1] = matrix[(i + 1) * size + i] = -1.0;
  }
  return matrix;
}

double energy_of(const Model& model, const double* q, double* gradient) {
  if (gradient) std::fill_n(gradient, model.n, 0.0);
  switch (model.potential) {
    case Potential::henon_heiles:
      return henon_heiles(model, q, gradient);
    case Potential::morse:
      return morse(model, q, gradient);
    default:
      return lennard_jones(model, q, gradient);
  }
}

double force_flops(const Model& model) {
  const double n = model.n, atoms = n / 3.0;
  switch (model.potential) {
    case Potential::henon_heiles:
      return 20.0 * n;
    case Potential::morse:
      return 45.0 * n;  // with the exponential function as 20
    default:
      return 38.0 * atoms * (atoms - 1.0);  // 76 a pair
  }
}

}  // namespace hakaru::apps::semiclassical
