#include "apps/electrons/mixing.hpp"

#include <lapacke.h>

namespace hakaru::apps::electrons {
namespace {

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

// Minimum of |sum c_i r_i| with sum c_i = 1, by a Lagrange multiplier.
std::vector<double> Mixing::coefficients() const {
  const int m = static_cast<int>(residuals_.size()), n = m + 1;
  std::vector<double> matrix(std::size_t(n) * n), right(n, 0.0);
  const double scale = 1.0 / (product(residuals_.back(), residuals_.back()) + 1e-300);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) matrix[i * n + j] = scale * product(residuals_[i], residuals_[j]);
    matrix[i * n + m] = matrix[m * n + i] = 1.0;
  }
  right[m] = 1.0;
  std::vector<int> pivots(n);
  if (LAPACKE_dsysv(LAPACK_COL_MAJOR, 'U', n, 1, matrix.data(), n, pivots.data(), right.data(),
                    n) != 0) {
    right.assign(n, 0.0);
    right[m - 1] = 1.0;
  }
  right.resize(m);
  return right;
}

void Mixing::next(std::vector<double>& input, const std::vector<double>& output) {
  std::vector<double> residual(input.size());
  for (std::size_t i = 0; i < input.size(); ++i) residual[i] = output[i] - input[i];
  inputs_.push_back(input);
  residuals_.push_back(std::move(residual));
  if (inputs_.size() > depth_) inputs_.pop_front(), residuals_.pop_front();
  const std::vector<double> c = coefficients();
  for (std::size_t i = 0; i < input.size(); ++i) {
    double value = 0.0;
    for (std::size_t j = 0; j < c.size(); ++j)
      value += c[j] * (inputs_[j][i] + part_ * residuals_[j][i]);
    input[i] = value;
  }
}

std::vector<double> Mixing::past() const {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    for (const auto* values : {&inputs_[i], &residuals_[i]})
      numbers.insert(numbers.end(), values->begin(), values->end());
  return numbers;
}

void Mixing::resume(const double* past, std::size_t steps, std::size_t points) {
  inputs_.clear(), residuals_.clear();
  for (std::size_t i = 0; i < steps; ++i)
    for (auto* values : {&inputs_, &residuals_}) {
      values->emplace_back(past, past + points);
      past += points;
    }
}

}  // namespace hakaru::apps::electrons
