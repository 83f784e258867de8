#include "apps/scg/solver.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/scg/exact.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::scg {
namespace {

std::size_t bytes_of(std::int64_t words) {
  return static_cast<std::size_t>(words) * sizeof(double);
}

int peer(int rank) { return rank >= 0 ? rank : MPI_PROC_NULL; }

}  // namespace

Solver::Solver(std::int64_t n, Acknowledgement acknowledgement)
    : world_(parallel::Communicator::world()),
      strip_(n, world_.rank(), world_.size()),
      acknowledgement_(acknowledgement),
      layout_(strip_),
      direction_(world_, bytes_of(layout_.words()), 2),
      vectors_(strip_, direction_.as<double>()) {
  if (strip_.above >= 0) rows_above_ = Strip(n, strip_.above, world_.size()).rows;
}

void Solver::start(base::Phases& phases) {
  double rho = 0.0;
  {
    auto phase = phases.scope("reset");
    rho = vectors_.reset();
  }
  rho_ = rho_start_ = sum(rho, phases);
}

void Solver::put_halo() {
  const std::size_t bytes = bytes_of(strip_.n);
  if (strip_.above >= 0)
    direction_.put(strip_.above, bytes_of((rows_above_ + 1) * layout_.pitch + layout_.margin),
                   vectors_.direction_row(0), bytes, {0, flag_below});
  if (strip_.below >= 0)
    direction_.put(strip_.below, bytes_of(layout_.margin), vectors_.direction_row(strip_.rows - 1),
                   bytes, {0, flag_above});
}

void Solver::wait_for_halo() {
  if (strip_.above >= 0) direction_.wait_flag(flag_above);
  if (strip_.below >= 0) direction_.wait_flag(flag_below);
}

// Empty messages: the halo row has been used and may be written again.
void Solver::acknowledge() {
  const int above = peer(strip_.above), below = peer(strip_.below);
  HAKARU_MPI(MPI_Sendrecv(nullptr, 0, MPI_CHAR, above, tag_up, nullptr, 0, MPI_CHAR, below, tag_up,
                          world_.handle(), MPI_STATUS_IGNORE));
  HAKARU_MPI(MPI_Sendrecv(nullptr, 0, MPI_CHAR, below, tag_down, nullptr, 0, MPI_CHAR, above,
                          tag_down, world_.handle(), MPI_STATUS_IGNORE));
}

double Solver::sum(double value, base::Phases& phases) {
  auto phase = phases.scope("reduction");
  return exact_sums_ ? parallel::exact_sum(world_, vectors_.row_sums()) : world_.sum(value);
}

void Solver::iterate(base::Phases& phases) {
  const int halo = phases.index("halo"), stencil = phases.index("stencil"),
            update = phases.index("update");
  {
    auto phase = phases.scope(halo);
    put_halo();
  }
  double product = 0.0;
  {
    auto phase = phases.scope(stencil);
    product = vectors_.multiply(strip_.inner_begin(), strip_.inner_end());
  }
  {
    auto phase = phases.scope(halo);
    wait_for_halo();
  }
  {
    auto phase = phases.scope(stencil);
    product += vectors_.multiply_frame();
  }
  if (acknowledgement_ == Acknowledgement::messages) {
    auto phase = phases.scope("acknowledgement");
    acknowledge();
  }
  product = sum(product, phases);
  // An exact solution before the last iteration: nothing moves any more.
  const double alpha = product > 0.0 ? rho_ / product : 0.0;
  double rho = 0.0;
  {
    auto phase = phases.scope(update);
    rho = vectors_.advance(alpha);
  }
  rho = sum(rho, phases);
  auto phase = phases.scope(update);
  vectors_.turn(rho_ > 0.0 ? rho / rho_ : 0.0);
  rho_ = rho;
}

double Solver::relative_residual() const { return std::sqrt(rho_ / rho_start_); }

double Solver::right_side_norm() const { return 2.0 * std::sqrt(rho_start_); }

double Solver::distance_from_exact(std::int64_t rows) const {
  const ExactSolution exact(strip_.n);
  const std::int64_t step =
      std::max<std::int64_t>(1, strip_.rows / std::max<std::int64_t>(1, rows));
  double worst = 0.0;
  for (std::int64_t y = 0; y < strip_.rows; y += step) {
    const std::vector<double> row = exact.row(strip_.first + y);
    for (std::int64_t x = 0; x < strip_.n; ++x) {
      const double distance = std::abs(vectors_.solution(x, y) - row[x]);
      if (!(distance <= worst)) worst = distance;  // a NaN stays
    }
  }
  return world_.maximum(worst);
}

double Solver::residual_drift() {
  const std::int64_t n = strip_.n;
  const double h = 1.0 / static_cast<double>(n + 1);
  std::vector<double> above(n, 0.0), below(n, 0.0), first(n), last(n);
  for (std::int64_t x = 0; x < n; ++x) {
    first[x] = vectors_.solution(x, 0);
    last[x] = vectors_.solution(x, strip_.rows - 1);
  }
  const int count = static_cast<int>(n);
  HAKARU_MPI(MPI_Sendrecv(first.data(), count, MPI_DOUBLE, peer(strip_.above), tag_up, below.data(),
                          count, MPI_DOUBLE, peer(strip_.below), tag_up, world_.handle(),
                          MPI_STATUS_IGNORE));
  HAKARU_MPI(MPI_Sendrecv(last.data(), count, MPI_DOUBLE, peer(strip_.below), tag_down,
                          above.data(), count, MPI_DOUBLE, peer(strip_.above), tag_down,
                          world_.handle(), MPI_STATUS_IGNORE));
  const auto u = [&](std::int64_t x, std::int64_t y) {
    if (x < 0 || x >= n) return 0.0;
    return y < 0 ? above[x] : y >= strip_.rows ? below[x] : vectors_.solution(x, y);
  };
  parallel::ExactSum total;
  for (std::int64_t y = 0; y < strip_.rows; ++y)
    for (std::int64_t x = 0; x < n; ++x) {
      const double neighbours = u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1);
      const double drift = h * h - (4.0 * u(x, y) - neighbours) - vectors_.residual(x, y);
      total.add(drift * drift);
    }
  return std::sqrt(parallel::exact_sum(world_, total));
}

double Solver::largest() const {
  double most = 0.0;
  for (std::int64_t y = 0; y < strip_.rows; ++y)
    for (std::int64_t x = 0; x < strip_.n; ++x)
      most = std::max(most, std::abs(vectors_.solution(x, y)));
  return world_.maximum(most);
}

}  // namespace hakaru::apps::scg
