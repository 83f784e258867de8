// Solutions of W x = b in double precision, by Krylov methods in single, double or both.
#pragma once

#include <memory>
#include <optional>

#include "apps/lattice_qcd/krylov.hpp"

namespace hakaru::apps::lattice_qcd {

enum class Precision { single, twofold, mixed };

struct SolverChoice {
  Method method = Method::cg;
  Preconditioning preconditioning = Preconditioning::even_odd;
  Precision precision = Precision::twofold;
  double kappa = 0.12;
  Boundary boundary = Boundary::antiperiodic;
  bool overlap = true;
  // Mixed precision: iterations in single precision between residuals in double precision.
  std::int64_t restart = 100;
  bool exact_sums = false;
};

struct Solution {
  std::int64_t iterations = 0;
  double residual = 0.0;  // |b - W x| / |b|, recomputed in double precision
};

class Solver {
 public:
  // Copies the links. Collective.
  Solver(const GaugeField& gauge, const SolverChoice& choice, const Timing& timing);
  ~Solver();

  Wilson<double>& wilson() { return twofold_; }
  Spinors<double> field() const { return Spinors<double>(twofold_.layout()); }

  // Collective.
  Solution solve(const Spinors<double>& b, Spinors<double>& x, const Stop& stop);

 private:
  struct Single;  // operator, method and fields in single precision

  const double* right_side(const Spinors<double>& b);
  std::int64_t correct(const double* b, double* x, const Stop& stop);
  void complete(const Spinors<double>& b, Spinors<double>& x);
  double residual(const Spinors<double>& b, const Spinors<double>& x);

  SolverChoice choice_;
  Timing timing_;
  Wilson<double> twofold_;
  Krylov<double> krylov_;
  std::unique_ptr<Single> single_;
  Spinors<double> right_, work_;
};

}  // namespace hakaru::apps::lattice_qcd
