#include "apps/semiclassical/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/semiclassical/cluster.hpp"

namespace hakaru::apps::semiclassical {
namespace {

using Numbers = std::vector<double>;

double distance(const Numbers& a, const Numbers& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= most)) most = std::abs(a[i] - b[i]);
  return most;
}

double largest(const Trajectory& t) {
  double most = 1.0;
  for (const Numbers* part : {&t.qq, &t.qp, &t.pq, &t.pp})
    for (const double value : *part) most = std::max(most, std::abs(value));
  return most;
}

Numbers column(const Numbers& matrix, std::size_t n, std::size_t j) {
  Numbers found;
  for (std::size_t i = 0; i < n; ++i) found.push_back(matrix[i * n + j]);
  return found;
}

// Points without symmetry around a start, of the same energy scale.
struct Start {
  Numbers q, p;
};

class Verification {
 public:
  Verification(bool damaged, base::Checks& checks) : damaged_(damaged), checks_(checks) {}

  void all() {
    order();
    for (const auto& [name, settings, start] :
         {System{"six oscillators", system_of(Potential::henon_heiles, 6, 0.05, 400),
                 spread(6, 0.4)},
          System{"morse chain", system_of(Potential::morse, 5, 0.05, 200), spread(5, 0.5)},
          System{"seven atoms", system_of(Potential::lennard_jones, 21, 0.005, 200),
                 near(relaxed(cluster_of(7)))}}) {
      derivatives(name, settings.model, start.q);
      stability(name, settings, start);
      differences(name, settings, start);
      slope(name, settings, start);
    }
    minima();
  }

 private:
  struct System {
    std::string name;
    Settings settings;
    Start start;
  };

  static Start spread(int n, double size) {
    Start start;
    for (int i = 0; i < n; ++i) {
      start.q.push_back(size * std::sin(1.0 + 2.3 * i));
      start.p.push_back(size * std::cos(0.5 + 1.7 * i));
    }
    return start;
  }
  static Start near(Numbers q) {
    Start start{std::move(q), {}};
    for (std::size_t i = 0; i < start.q.size(); ++i)
      start.p.push_back(0.2 * std::cos(0.5 + 1.7 * static_cast<double>(i)));
    return start;
  }

  // A result as it is, or spoilt.
  Trajectory run(const Settings& settings, const Start& start) const {
    Trajectory t = trajectory(settings, start.q, start.p);
    if (!damaged_) return t;
    t.q[0] += 1e-3, t.action += 1e-2, t.most_energy_change += 1e-3;
    for (double& value : t.qq) value *= 1.001;
    for (double& value : t.qp) value += 0.001;
    return t;
  }

  // The published start of two oscillators; errors against a step of a tenth of the smallest.
  void order() {
    const Start start{{0.1, -0.2}, {0.35, 0.25}};
    Settings exact = system_of(Potential::henon_heiles, 2, 0.0025, 3200);
    exact.model.coupling = 1.0;
    const Trajectory reference = trajectory(exact, start.q, start.p);
    constexpr std::array<double, 3> published{9.03e-6, 5.61e-7, 3.51e-8},
        energies{3.20e-6, 1.97e-7, 1.23e-8};
    for (int i = 0; i < 3; ++i) {
      Settings s = system_of(Potential::henon_heiles, 2, 0.2 / (1 << i), 40 << i);
      s.model.coupling = 1.0;
      const Trajectory t = run(s, start);
      double error2 = 0.0;
      for (int k = 0; k < 2; ++k)
        error2 += std::pow(t.q[k] - reference.q[k], 2) + std::pow(t.p[k] - reference.p[k], 2);
      checks_.relative(fmt::format("two oscillators: error at time 8, dt={:g}", s.dt),
                       std::sqrt(error2), published[i], 0.02, "another program's three digits");
      checks_.relative(fmt::format("two oscillators: largest change of energy, dt={:g}", s.dt),
                       t.most_energy_change, energies[i], 0.02, "another program's three digits");
    }
  }

  // Vectors against plain loops, second derivatives against differences of the first.
  void derivatives(const std::string& name, const Model& model, const Numbers& q) {
    Settings s = system_of(model.potential, model.n, 0.01, 1);
    s.model = model;
    Block block(s, 1);
    block.reset(1);
    const Batch b = block.batch(0);
    const auto lanes = static_cast<std::size_t>(block.lanes());
    for (std::size_t i = 0; i < q.size() * lanes; ++i) b.q[i] = q[i / lanes], b.p[i] = 0.0;
    block.measure();
    Numbers gradient(q.size()), above(q.size()), below(q.size()), at = q;
    const double energy = energy_of(model, q.data(), gradient.data());
    double force = 0.0, second = 0.0, size = 1.0;
    constexpr double h = 1e-5;
    for (std::size_t i = 0; i < q.size(); ++i) {
      at[i] = q[i] + h, energy_of(model, at.data(), above.data());
      at[i] = q[i] - h, energy_of(model, at.data(), below.data());
      at[i] = q[i];
      force = std::max(force, std::abs(b.force[i * lanes] + gradient[i]));
      for (std::size_t j = 0; j < q.size(); ++j) {
        const double value = b.hessian[(i * block.shape().hessian_pitch() + j) * lanes];
        second = std::max(second, std::abs(value - (above[j] - below[j]) / (2.0 * h)));
        size = std::max(size, std::abs(value));
      }
    }
    const double spoilt = damaged_ ? 1e-3 : 0.0;
    checks_.relative(name + ": energy by vectors and by loops", *b.potential + spoilt, energy,
                     1e-12, "rounding of a sum");
    checks_.at_most(name + ": force by vectors against loops", force + spoilt, 1e-11,
                    "rounding of differences of pair forces");
    checks_.at_most(name + ": second derivatives against differences", second / size + spoilt, 1e-7,
                    "central differences of step 1e-5, relative to the largest");
  }

  void stability(const std::string& name, const Settings& s, const Start& start) {
    const Trajectory t = run(s, start);
    const double rounding = 1e-15 * std::sqrt(double(s.steps)) * 20.0 * largest(t) * largest(t);
    constexpr const char* why = "each step is symplectic exactly, so that roundings alone add up";
    checks_.at_most(name + ": largest element of M^T J M - J", symplectic_defect(t), rounding, why);
    checks_.at_most(name + ": det M - 1", std::abs(determinant_defect(t)),
                    rounding * 2.0 * s.model.n, why);
  }

  // Columns of M, and derivatives of the action: dS/dq0 = p^T M_qq - p0, dS/dp0 = p^T M_qp.
  void differences(const std::string& name, const Settings& s, const Start& start) {
    const Trajectory t = run(s, start);
    const std::size_t n = start.q.size();
    constexpr double h = 1e-5;
    double matrix = 0.0, action = 0.0;
    for (const std::size_t j : {std::size_t{0}, n / 2, n - 1})
      for (const bool momentum : {false, true}) {
        Start above = start, below = start;
        (momentum ? above.p : above.q)[j] += h, (momentum ? below.p : below.q)[j] -= h;
        const Trajectory a = trajectory(s, above.q, above.p), b = trajectory(s, below.q, below.p);
        Numbers q(n), p(n);
        for (std::size_t i = 0; i < n; ++i)
          q[i] = (a.q[i] - b.q[i]) / (2.0 * h), p[i] = (a.p[i] - b.p[i]) / (2.0 * h);
        const Numbers of_q = column(momentum ? t.qp : t.qq, n, j);
        matrix = std::max(
            {matrix, distance(q, of_q), distance(p, column(momentum ? t.pp : t.pq, n, j))});
        double expected = momentum ? 0.0 : -start.p[j];
        for (std::size_t i = 0; i < n; ++i) expected += t.p[i] * of_q[i];
        action = std::max(action, std::abs((a.action - b.action) / (2.0 * h) - expected));
      }
    const double scale = largest(t);
    checks_.at_most(name + ": M against differences of trajectories", matrix / scale, 1e-6,
                    "central differences of step 1e-5");
    checks_.at_most(name + ": derivatives of the action", action / scale, 1e-6,
                    "central differences of step 1e-5");
  }

  void slope(const std::string& name, const Settings& s, const Start& start) {
    Settings half = s;
    half.dt *= 0.5, half.steps *= 2;
    const double order = std::log2(trajectory(s, start.q, start.p).most_energy_change /
                                   run(half, start).most_energy_change);
    checks_.absolute(name + ": order of the energy's error", order, 4.0, 0.3,
                     "the next term of the error, at finite steps");
  }

  // Wales and Doye, J. Phys. Chem. A 101, 5111 (1997).
  void minima() {
    for (const auto& [atoms, energy] : {std::pair{2, -1.0}, {7, -16.505384}, {13, -44.326801}}) {
      const Numbers q = relaxed(cluster_of(atoms));
      const Model model{Potential::lennard_jones, 3 * atoms, 0.0, 0.0, 0.0};
      checks_.absolute(fmt::format("{} atoms: energy of the minimum", atoms),
                       energy_of(model, q.data(), nullptr) + (damaged_ ? 1e-5 : 0.0), energy, 1e-6,
                       "published to six decimals");
    }
  }

  bool damaged_;
  base::Checks& checks_;
};

}  // namespace

Settings system_of(Potential potential, int n, double dt, std::int64_t steps) {
  Settings s;
  s.model = {potential, n, 0.111803, 10.0, 0.2236068};
  s.dt = dt, s.steps = steps, s.interval = steps;
  s.centre_q.assign(static_cast<std::size_t>(n), 1.0);
  s.centre_p.assign(static_cast<std::size_t>(n), 0.0);
  return s;
}

void verify_trajectories(bool damaged, base::Checks& checks) {
  Verification(damaged, checks).all();
}

void verify_all(harness::Run& run, const parallel::Communicator& world, base::Checks& checks) {
  verify_trajectories(run.damaged(), checks);
  verify_correlations(run, world, checks);
}

}  // namespace hakaru::apps::semiclassical
