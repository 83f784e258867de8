#include "apps/hartree_fock/scf.hpp"

#include <algorithm>
#include <cmath>

namespace hakaru::apps::hartree_fock {
namespace {

constexpr std::size_t most_vectors = 8;
constexpr double dependent = 1e-7;

}  // namespace

Scf::Scf(int n, Matrix overlap, Matrix core, std::vector<double> occupations, Mixing mixing,
         double damping)
    : n_(n),
      occupations_(std::move(occupations)),
      mixing_(mixing),
      damping_(damping),
      overlap_(std::move(overlap)),
      core_(std::move(core)) {
  Matrix vectors = overlap_;
  std::vector<double> values;
  sound_ = eigen(n, vectors, values) && values.front() > dependent;
  if (!sound_) return;
  Matrix scaled = vectors;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) scaled[std::size_t(i) * n + j] /= std::sqrt(values[i]);
  root_ = product(n, transposed(n, vectors), scaled);
}

// P = C n C^T of the orbitals of F.
bool Scf::diagonalise(const Matrix& fock, Matrix& density) {
  Matrix vectors = product(n_, root_, product(n_, fock, root_));
  if (!eigen(n_, vectors, energies_)) return false;
  orbitals_ = product(n_, vectors, root_);
  Matrix weighted(orbitals_.size());
  for (std::size_t i = 0; i < occupations_.size(); ++i)
    for (int j = 0; j < n_; ++j) weighted[i * n_ + j] = occupations_[i] * orbitals_[i * n_ + j];
  density = product(n_, transposed(n_, orbitals_), weighted);
  return true;
}

Step Scf::begin() {
  Step step;
  step.failed = sound_ && diagonalise(core_, density_) ? 0.0 : 1.0;
  return step;
}

// X (F P S - S P F) X; S P F is the transpose of F P S.
Matrix Scf::error_of(const Matrix& fock) const {
  const Matrix fps = product(n_, fock, product(n_, density_, overlap_));
  Matrix difference(fps.size());
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < n_; ++j)
      difference[std::size_t(i) * n_ + j] =
          fps[std::size_t(i) * n_ + j] - fps[std::size_t(j) * n_ + i];
  return product(n_, root_, product(n_, difference, root_));
}

Matrix Scf::extrapolated(const Matrix& fock, const Matrix& error) {
  past_.push_back({fock, error});
  if (past_.size() > most_vectors) past_.pop_front();
  for (; past_.size() > 1; past_.pop_front()) {
    // Sums of weights times products of errors equal a multiplier, and the weights sum to 1.
    const int m = static_cast<int>(past_.size()), size = m + 1;
    std::vector<double> b(std::size_t(size) * size, 1.0), weights(std::size_t(size), 0.0);
    const double scale = 1.0 / std::max(contraction(error, error), 1e-300);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j)
        b[std::size_t(i) * size + j] = scale * contraction(past_[i].error, past_[j].error);
    b.back() = 0.0, weights.back() = 1.0;
    if (!solve(size, b, weights)) continue;
    if (!std::ranges::all_of(weights, [](double w) { return std::abs(w) < 1e6; })) continue;
    Matrix sum(fock.size());
    for (int i = 0; i < m; ++i)
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weights[i] * past_[i].fock[k];
    return sum;
  }
  return fock;
}

Step Scf::advance(const Matrix& two_electron) {
  Matrix fock = core_, next;
  for (std::size_t i = 0; i < fock.size(); ++i) fock[i] += two_electron[i];
  Step step;
  // E = sum of P_ab (h_ab + F_ab) / 2
  step.energy = 0.5 * (contraction(density_, core_) + contraction(density_, fock));
  const Matrix error = error_of(fock);
  for (const double value : error) step.residual = std::max(step.residual, std::abs(value));
  const bool found = diagonalise(mixing_ == Mixing::diis ? extrapolated(fock, error) : fock, next);
  step.failed = found && std::isfinite(step.energy) ? 0.0 : 1.0;
  if (!found) return step;
  step.change = largest_difference(next, density_);
  if (mixing_ == Mixing::damped)
    for (std::size_t i = 0; i < next.size(); ++i)
      next[i] = damping_ * density_[i] + (1.0 - damping_) * next[i];
  density_ = std::move(next);
  return step;
}

double scf_flops(int n, Mixing mixing) {
  // Products of 2 n^3: the Fock matrix (2), orbitals, density, the error (4); eigenvectors of a
  // symmetric matrix about 9 n^3; sums of eight matrices and their products.
  const double cube = double(n) * n * n, square = double(n) * n;
  return 8 * 2.0 * cube + 9.0 * cube + (mixing == Mixing::diis ? 144.0 : 4.0) * square;
}

}  // namespace hakaru::apps::hartree_fock
