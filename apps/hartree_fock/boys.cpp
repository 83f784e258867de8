#include "apps/hartree_fock/boys.hpp"

#include <cmath>
#include <memory>

namespace hakaru::apps::hartree_fock {

// F_m(T) = exp(-T) sum over k of (2T)^k / ((2m+1)(2m+3) ... (2m+2k+1))
double boys_series(int order, double t) {
  double term = 1.0 / (2 * order + 1), sum = term;
  for (int k = 1; term > 1e-18 * sum; ++k) sum += term *= 2.0 * t / (2 * order + 2 * k + 1);
  return std::exp(-t) * sum;
}

BoysTable::BoysTable(int order) {
  int at = 0;
  for (double* row : rows_) {
    const double t = spacing * at++;
    double factorial = 1.0;
    for (int k = 0; k < taylor_terms; ++k) {
      factorial *= k > 0 ? k : 1;
      row[k] = boys_series(order + k, t) / factorial;
    }
    row[taylor_terms] = std::exp(-t);
  }
}

const BoysTable& BoysTable::of(int order) {
  static const std::unique_ptr<const BoysTable> tables[highest_order + 1] = {
      std::unique_ptr<const BoysTable>(new BoysTable(0)),
      std::unique_ptr<const BoysTable>(new BoysTable(1)),
      std::unique_ptr<const BoysTable>(new BoysTable(2)),
      std::unique_ptr<const BoysTable>(new BoysTable(3)),
      std::unique_ptr<const BoysTable>(new BoysTable(4))};
  return *tables[order];
}

}  // namespace hakaru::apps::hartree_fock
