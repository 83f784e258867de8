#include "apps/sp/problem.hpp"

#include <vector>

namespace hakaru::apps::sp {
namespace {

struct Class {
  const char* name;
  std::int64_t n, iterations;
  double dt;
  Norms norms;
};

// NPB 3.4, SP: problem sizes and reference norms.
const std::vector<Class>& classes() {
  static const std::vector<Class> all = {
      {"S",
       12,
       100,
       0.015,
       {{2.7470315451339479e-2, 1.0360746705285417e-2, 1.6235745065095532e-2, 1.5840557224455615e-2,
         3.4849040609362460e-2},
        {2.7289258557377227e-5, 1.0364446640837285e-5, 1.6154798287166471e-5, 1.5750704994480102e-5,
         3.4177666183390531e-5}}},
      {"W",
       36,
       400,
       0.0015,
       {{1.893253733584e-3, 1.717075447775e-4, 2.778153350936e-4, 2.887475409984e-4,
         3.143611161242e-3},
        {7.542088599534e-5, 6.512852253086e-6, 1.049092285688e-5, 1.128838671535e-5,
         1.212845639773e-4}}},
      {"A",
       64,
       400,
       0.0015,
       {{2.4799822399300195, 1.1276337964368832, 1.5028977888770491, 1.4217816211695179,
         2.1292113035138280},
        {1.0900140297820550e-4, 3.7343951769282091e-5, 5.0092785406541633e-5, 4.7671093939528255e-5,
         1.3621613399213001e-4}}},
      {"B",
       102,
       400,
       0.001,
       {{69.03293579998, 30.95134488084, 41.03336647017, 38.64769009604, 56.43482272596},
        {9.810006190188e-3, 1.022827905670e-3, 1.720597911692e-3, 1.694479428231e-3,
         1.847456263981e-2}}},
  };
  return all;
}

// Constant term, then by degree 1 ... 4 the coefficients of xi, eta and zeta (RNR-94-007, table of
// the manufactured solution).
constexpr double coefficients[components][13] = {
    {2.0, 0.0, 0.0, 4.0, 5.0, 3.0, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2.0, 2.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5.0, 4.0, 3.0, 2.0, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2}};

// (1 - s) a + s b
double between(double s, double a, double b) { return (1.0 - s) * a + s * b; }

}  // namespace

Plan plan_of(const base::Parameters& parameters, int ranks) {
  Plan plan{parameters.integer("n"), 100, 0.0015,
            parameters.text("style") == "direct" ? Style::direct : Style::published, ranks};
  for (const Class& known : classes()) {
    if (parameters.text("class") != known.name) continue;
    plan.n = known.n;
    plan.iterations = known.iterations;
    plan.dt = known.dt;
  }
  if (parameters.integer("iterations") > 0) plan.iterations = parameters.integer("iterations");
  if (parameters.real("dt") > 0.0) plan.dt = parameters.real("dt");
  return plan;
}

State exact(double xi, double eta, double zeta) {
  State state;
  const double along[3] = {xi, eta, zeta};
  for (int m = 0; m < components; ++m) {
    const double* c = coefficients[m];
    state[m] = c[0];
    for (int axis = 0; axis < 3; ++axis) {
      const double s = along[axis];
      state[m] += s * (c[1 + axis] + s * (c[4 + axis] + s * (c[7 + axis] + s * c[10 + axis])));
    }
  }
  return state;
}

State initial(double xi, double eta, double zeta) {
  const State west = exact(0, eta, zeta), east = exact(1, eta, zeta);
  const State south = exact(xi, 0, zeta), north = exact(xi, 1, zeta);
  const State bottom = exact(xi, eta, 0), top = exact(xi, eta, 1);
  const bool boundary =
      xi == 0.0 || xi == 1.0 || eta == 0.0 || eta == 1.0 || zeta == 0.0 || zeta == 1.0;
  if (boundary) return exact(xi, eta, zeta);
  State state;
  for (int m = 0; m < components; ++m) {
    const double x = between(xi, west[m], east[m]), y = between(eta, south[m], north[m]),
                 z = between(zeta, bottom[m], top[m]);
    state[m] = x + y + z - x * y - x * z - y * z + x * y * z;
  }
  return state;
}

double nominal_operations(std::int64_t points) {
  const double n = static_cast<double>(points);
  return 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4;
}

std::optional<Norms> published_norms(const Plan& plan) {
  for (const Class& known : classes())
    if (known.n == plan.n && known.iterations == plan.iterations && known.dt == plan.dt)
      return known.norms;
  return {};
}

}  // namespace hakaru::apps::sp
