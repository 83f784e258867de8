#include "apps/scg/solver.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/scg/exact.hpp"
#include "apps/scg/phases.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::scg {
namespace {

std::size_t bytes_of(std::int64_t words) {
  return static_cast<std::size_t>(words) * sizeof(double);
}

int peer(int rank) { return rank >= 0 ? rank : MPI_PROC_NULL; }

}  // namespace

Solver::Solver(std::int64_t n, Decomposition decomposition, Acknowledgement acknowledgement)
    : world_(parallel::Communicator::world()),
      grid_(grid_of(world_.size(), decomposition)),
      block_(n, world_.rank(), grid_),
      row_(world_.split(world_.rank() / grid_.columns, world_.rank())),
      column_(world_.split(world_.rank() % grid_.columns, world_.rank())),
      acknowledgement_(acknowledgement),
      layout_(block_),
      smallest_moving_(1e-290 * static_cast<double>(n) * static_cast<double>(n)),
      direction_(world_, bytes_of(layout_.words()), 4),
      vectors_(block_, direction_.as<double>()) {}

void Solver::start(base::Phases& phases) {
  double rho = 0.0;
  {
    auto phase = phases.scope(phase::reset);
    rho = vectors_.reset();
  }
  rho_ = rho_start_ = sum(rho, phases);
}

void Solver::put_rows() {
  const std::size_t bytes = bytes_of(block_.columns);
  if (block_.above >= 0) {
    const DirectionLayout theirs(Block(block_.n, block_.above, grid_));
    direction_.put(block_.above, bytes_of(theirs.row(theirs.rows)), vectors_.direction_row(0),
                   bytes, {0, flag_below});
  }
  if (block_.below >= 0) {
    const DirectionLayout theirs(Block(block_.n, block_.below, grid_));
    direction_.put(block_.below, bytes_of(theirs.row(-1)), vectors_.direction_row(block_.rows - 1),
                   bytes, {0, flag_above});
  }
}

void Solver::put_columns() {
  const auto put = [this](int to, bool to_left) {
    const Block block(block_.n, to, grid_);
    const DirectionLayout theirs(block);
    const std::int64_t there = to_left ? block.columns : -1;
    const double* here = vectors_.direction_row(0) + (to_left ? 0 : block_.columns - 1);
    const auto items = static_cast<std::size_t>(block_.rows);
    direction_.put_stride(
        to, bytes_of(theirs.row(0) + there), {sizeof(double), items, bytes_of(theirs.pitch)}, here,
        {sizeof(double), items, bytes_of(layout_.pitch)}, {0, to_left ? flag_right : flag_left});
  };
  if (block_.left >= 0) put(block_.left, true);
  if (block_.right >= 0) put(block_.right, false);
}

void Solver::put_halo() {
  put_rows();
  put_columns();
}

void Solver::wait_for_halo() {
  if (block_.above >= 0) direction_.wait_flag(flag_above);
  if (block_.below >= 0) direction_.wait_flag(flag_below);
  if (block_.left >= 0) direction_.wait_flag(flag_left);
  if (block_.right >= 0) direction_.wait_flag(flag_right);
}

// Empty messages: the halo has been used and may be written again.
void Solver::exchange_acknowledgement(int to, int from, int tag) {
  HAKARU_MPI(MPI_Sendrecv(nullptr, 0, MPI_CHAR, peer(to), tag, nullptr, 0, MPI_CHAR, peer(from),
                          tag, world_.handle(), MPI_STATUS_IGNORE));
}

void Solver::acknowledge() {
  if (acknowledgement_ == Acknowledgement::barriers) {
    if (row_.size() > 1) row_.barrier();
    if (column_.size() > 1) column_.barrier();
    return;
  }
  exchange_acknowledgement(block_.above, block_.below, tag_up);
  exchange_acknowledgement(block_.below, block_.above, tag_down);
  if (grid_.columns == 1) return;
  exchange_acknowledgement(block_.left, block_.right, tag_left);
  exchange_acknowledgement(block_.right, block_.left, tag_right);
}

double Solver::sum(double value, base::Phases& phases) {
  auto phase = phases.scope(phase::reduction);
  return exact_sums_ ? parallel::exact_sum(world_, vectors_.row_sums()) : world_.sum(value);
}

void Solver::iterate(base::Phases& phases) {
  const int halo = phases.index(phase::halo), stencil = phases.index(phase::stencil),
            update = phases.index(phase::update);
  {
    auto phase = phases.scope(halo);
    put_halo();
  }
  {
    auto phase = phases.scope(stencil);
    vectors_.multiply_inner();
  }
  {
    auto phase = phases.scope(halo);
    wait_for_halo();
  }
  {
    auto phase = phases.scope(stencil);
    vectors_.multiply_frame();
  }
  if (acknowledgement_ != Acknowledgement::none) {
    auto phase = phases.scope(phase::acknowledgement);
    acknowledge();
  }
  const double product = sum(vectors_.product(), phases);
  const bool moves = rho_ > smallest_moving_ && product > 0.0;
  const double alpha = moves ? rho_ / product : 0.0;
  double rho = 0.0;
  {
    auto phase = phases.scope(update);
    rho = vectors_.advance(alpha);
  }
  rho = sum(rho, phases);
  auto phase = phases.scope(update);
  vectors_.turn(moves ? rho / rho_ : 0.0);
  rho_ = rho;
}

double Solver::relative_residual() const { return std::sqrt(rho_ / rho_start_); }

double Solver::right_side_norm() const { return 2.0 * std::sqrt(rho_start_); }

double Solver::distance_from_exact(std::int64_t rows) const {
  const ExactSolution exact(block_.n);
  const std::int64_t step =
      std::max<std::int64_t>(1, block_.rows / std::max<std::int64_t>(1, rows));
  double worst = 0.0;
  for (std::int64_t y = 0; y < block_.rows; y += step) {
    const std::vector<double> row = exact.row(block_.first_row + y);
    for (std::int64_t x = 0; x < block_.columns; ++x) {
      const double distance = std::abs(vectors_.solution(x, y) - row[block_.first_column + x]);
      if (!(distance <= worst)) worst = distance;  // a NaN stays
    }
  }
  return world_.maximum(worst);
}

namespace {

// The neighbours' values around a rank's solution; zero at the plate's edge.
class Surroundings {
 public:
  Surroundings(const BlockVectors& vectors, const parallel::Communicator& world)
      : vectors_(vectors), block_(vectors.block()) {
    const std::int64_t last_row = block_.rows - 1, last_column = block_.columns - 1;
    above_ = exchange(world, block_.below, block_.above, row(last_row));
    below_ = exchange(world, block_.above, block_.below, row(0));
    left_ = exchange(world, block_.right, block_.left, column(last_column));
    right_ = exchange(world, block_.left, block_.right, column(0));
  }
  double u(std::int64_t x, std::int64_t y) const {
    if (y < 0) return above_[x];
    if (y >= block_.rows) return below_[x];
    if (x < 0) return left_[y];
    return x >= block_.columns ? right_[y] : vectors_.solution(x, y);
  }

 private:
  std::vector<double> row(std::int64_t y) const {
    std::vector<double> values(block_.columns);
    for (std::int64_t x = 0; x < block_.columns; ++x) values[x] = vectors_.solution(x, y);
    return values;
  }
  std::vector<double> column(std::int64_t x) const {
    std::vector<double> values(block_.rows);
    for (std::int64_t y = 0; y < block_.rows; ++y) values[y] = vectors_.solution(x, y);
    return values;
  }
  static std::vector<double> exchange(const parallel::Communicator& world, int to, int from,
                                      const std::vector<double>& values) {
    std::vector<double> theirs(values.size(), 0.0);
    const int count = static_cast<int>(values.size());
    HAKARU_MPI(MPI_Sendrecv(values.data(), count, MPI_DOUBLE, peer(to), 0, theirs.data(), count,
                            MPI_DOUBLE, peer(from), 0, world.handle(), MPI_STATUS_IGNORE));
    return theirs;
  }

  const BlockVectors& vectors_;
  const Block& block_;
  std::vector<double> above_, below_, left_, right_;
};

}  // namespace

double Solver::residual_drift() {
  const double h = 1.0 / static_cast<double>(block_.n + 1);
  const Surroundings around(vectors_, world_);
  parallel::ExactSum total;
  for (std::int64_t y = 0; y < block_.rows; ++y)
    for (std::int64_t x = 0; x < block_.columns; ++x) {
      const double neighbours =
          around.u(x - 1, y) + around.u(x + 1, y) + around.u(x, y - 1) + around.u(x, y + 1);
      const double drift = h * h - (4.0 * around.u(x, y) - neighbours) - vectors_.residual(x, y);
      total.add(drift * drift);
    }
  return std::sqrt(parallel::exact_sum(world_, total));
}

double Solver::largest() const {
  double most = 0.0;
  for (std::int64_t y = 0; y < block_.rows; ++y)
    for (std::int64_t x = 0; x < block_.columns; ++x)
      most = std::max(most, std::abs(vectors_.solution(x, y)));
  return world_.maximum(most);
}

}  // namespace hakaru::apps::scg
