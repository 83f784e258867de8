#include "apps/linpack/residual.hpp"

#include <cmath>

namespace hakaru::apps::linpack {
namespace {

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values)
    if (!(std::abs(value) <= most)) most = std::abs(value);  // a NaN stays
  return most;
}

// |A|_1, |A|_oo, A x on the rows of this rank.
struct Norms {
  double one, infinity;
  std::vector<double> product;
};

Norms norms_of(const Solver& solver, const std::vector<double>& x) {
  const Problem& p = solver.problem();
  const int rank = solver.world().rank();
  RowSums sums = row_sums(p, p.grid.row_of(rank), p.grid.column_of(rank), x);
  solver.row().sum(sums.product);
  solver.row().sum(sums.absolute);
  solver.process_column().sum(sums.columns);
  const double one = solver.world().maximum(largest(sums.columns));
  return {one, solver.world().maximum(largest(sums.absolute)), std::move(sums.product)};
}

}  // namespace

Residuals residuals_of(const Solver& solver) {
  const Problem& p = solver.problem();
  const std::vector<double> x = solver.solution();
  const Norms norms = norms_of(solver, x);
  const int row = p.grid.row_of(solver.world().rank());
  double distance = 0.0, right = 0.0;
  for (std::size_t i = 0; i < norms.product.size(); ++i) {
    double b = 0.0;
    const std::int64_t local = static_cast<std::int64_t>(i);
    elements(p.seed, global_index(local, p.nb, row, p.grid.rows), p.n, 1, &b);
    right = std::max(right, std::abs(b));
    const double difference = std::abs(norms.product[i] - b);
    if (!(difference <= distance)) distance = difference;  // a NaN stays
  }
  distance = solver.world().maximum(distance);
  right = solver.world().maximum(right);
  double x_one = 0.0;
  for (const double value : x) x_one += std::abs(value);
  const double n = static_cast<double>(p.n), x_largest = largest(x);
  return {distance / (epsilon * (norms.infinity * x_largest + right) * n),
          distance / (epsilon * norms.one * n), distance / (epsilon * norms.one * x_one),
          distance / (epsilon * norms.infinity * x_largest)};
}

double partial_residual(const Solver& solver) {
  const Problem& p = solver.problem();
  const std::vector<double> ones(static_cast<std::size_t>(p.n), 1.0);
  const Norms norms = norms_of(solver, ones);
  const double right = solver.world().maximum(largest(norms.product));
  return solver.distance_from_ones() /
         (epsilon * (norms.infinity + right) * static_cast<double>(p.n));
}

}  // namespace hakaru::apps::linpack
