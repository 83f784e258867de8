#include "apps/lattice_qcd/solver.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::lattice_qcd {

struct Solver::Single {
  Single(const GaugeField& gauge, const SolverChoice& choice, const Timing& timing)
      : wilson(gauge, choice.kappa, choice.boundary, choice.overlap, timing),
        krylov(wilson, choice.preconditioning, choice.method, choice.exact_sums, timing),
        b(wilson.layout()),
        x(wilson.layout()),
        parities(choice.preconditioning == Preconditioning::even_odd ? 1 : 2) {}

  // `to` += factor `from` or `to` = factor `from`: the two precisions have different lanes.
  template <typename From, typename To, typename Put>
  void convert(const Place& place, const VectorLayout& from, const VectorLayout& to, const From* in,
               To* out, const Put& put) const {
    const std::int64_t sites = product(place.local);
#pragma omp parallel for
    for (std::int64_t i = 0; i < sites; ++i) {
      const Extents point = point_of(i, place.local);
      const Slot a = from.slot(point), b = to.slot(point);
      if (a.parity >= parities) continue;
      const From* source = in + number_of(from, a);
      To* target = out + number_of(to, b);
      for (int n = 0; n < spinor_numbers; ++n)
        put(target[n * to.lanes()], source[n * from.lanes()]);
    }
  }
  static std::int64_t number_of(const VectorLayout& layout, const Slot& slot) {
    return (slot.parity * layout.vectors() + slot.vector) * spinor_numbers * layout.lanes() +
           slot.lane;
  }

  Wilson<float> wilson;
  Krylov<float> krylov;
  Spinors<float> b, x;
  int parities;
};

Solver::Solver(const GaugeField& gauge, const SolverChoice& choice, const Timing& timing)
    : choice_(choice),
      timing_(timing),
      twofold_(gauge, choice.kappa, choice.boundary, choice.overlap, timing),
      krylov_(twofold_, choice.preconditioning, choice.method, choice.exact_sums, timing),
      right_(twofold_.layout()),
      work_(twofold_.layout()) {
  if (choice.precision != Precision::twofold)
    single_ = std::make_unique<Single>(gauge, choice, timing);
}

Solver::~Solver() = default;

// b_e + kappa D_eo b_o, or b itself.
const double* Solver::right_side(const Spinors<double>& b) {
  if (choice_.preconditioning == Preconditioning::none) return b.parity(0);
  twofold_.hop({0, b.parity(1), right_.parity(0), b.parity(0), choice_.kappa, false});
  return right_.parity(0);
}

// x_o = b_o + kappa D_oe x_e
void Solver::complete(const Spinors<double>& b, Spinors<double>& x) {
  if (choice_.preconditioning == Preconditioning::none) return;
  twofold_.hop({1, x.parity(0), x.parity(1), b.parity(1), choice_.kappa, false});
}

double Solver::residual(const Spinors<double>& b, const Spinors<double>& x) {
  twofold_.apply_full(x.parity(0), work_.parity(0), false);
  Sums sums(twofold_.ranks(), choice_.exact_sums);
  const std::int64_t numbers = 2 * twofold_.half_numbers();
  const int lanes = twofold_.layout().lanes();
  {
    auto phase = timing_.in(timing_.vectors);
    add(Field<double>{work_.parity(0), numbers, lanes}, -1.0, b.parity(0));
    sums.norm(Field<const double>{work_.parity(0), numbers, lanes});
    sums.norm(Field<const double>{b.parity(0), numbers, lanes});
  }
  auto phase = timing_.in(timing_.reduction);
  const auto total = sums.total();
  return total[1] > 0.0 ? std::sqrt(total[0] / total[1]) : std::sqrt(total[0]);
}

// Residuals in double precision are solved for in single precision, again and again.
std::int64_t Solver::correct(const double* b, double* x, const Stop& stop) {
  Single& single = *single_;
  const Place& place = twofold_.place();
  const bool mixed = choice_.precision == Precision::mixed;
  const std::int64_t most = mixed ? choice_.restart : stop.iterations;
  double* r = work_.parity(0);
  double first = 0.0;
  std::int64_t done = 0;
  while (true) {
    if (done > 0) {
      krylov_.apply(x, r);
      auto phase = timing_.in(timing_.vectors);
      turn(krylov_.field(r), -1.0, b);
    }
    const double* left = done > 0 ? r : b;
    const double norm = std::sqrt(krylov_.norm(left));
    if (done == 0) first = norm;
    if (norm == 0.0 && stop.tolerance > 0.0) return done;
    if (stop.tolerance > 0.0 && done > 0 && norm <= stop.tolerance * first) return done;
    // Rounding of single precision leaves no more than this of a residual.
    const double inner =
        stop.tolerance > 0.0 ? std::max(1e-5, 0.5 * stop.tolerance * first / norm) : 0.0;
    const double scale = norm > 0.0 ? norm : 1.0;
    {
      auto phase = timing_.in(timing_.vectors);
      single.convert(place, twofold_.layout(), single.wilson.layout(), left, single.b.parity(0),
                     [=](float& to, double from) { to = static_cast<float>(from / scale); });
    }
    const std::int64_t steps = single.krylov.solve(single.b.parity(0), single.x.parity(0),
                                                   {std::min(most, stop.iterations - done), inner});
    {
      auto phase = timing_.in(timing_.vectors);
      const bool start = done == 0;
      single.convert(place, single.wilson.layout(), twofold_.layout(), single.x.parity(0), x,
                     [=](double& to, float from) { to = (start ? 0.0 : to) + scale * from; });
    }
    done += steps;
    if (steps == 0 || done >= stop.iterations || !mixed) return done;
  }
}

Solution Solver::solve(const Spinors<double>& b, Spinors<double>& x, const Stop& stop) {
  const double* right = right_side(b);
  Solution solution;
  solution.iterations =
      single_ ? correct(right, x.parity(0), stop) : krylov_.solve(right, x.parity(0), stop);
  complete(b, x);
  solution.residual = residual(b, x);
  return solution;
}

}  // namespace hakaru::apps::lattice_qcd
