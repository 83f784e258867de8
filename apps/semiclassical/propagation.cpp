#include "apps/semiclassical/propagation.hpp"

#include <algorithm>
#include <cmath>

#include "native/base/share.hpp"

namespace hakaru::apps::semiclassical {
namespace {

constexpr std::size_t block_bytes = 128 << 10;  // a part of the second cache
constexpr int most_batches = 64;

std::vector<double> part_of(const Block& block, bool momenta, int first_column) {
  const Shape& shape = block.shape();
  const double* matrix = momenta ? block.batch(0).mp : block.batch(0).mq;
  std::vector<double> part;
  for (int i = 0; i < shape.n; ++i)
    for (int j = 0; j < shape.n; ++j)
      part.push_back(matrix[(i * shape.pitch() + first_column + j) * shape.lanes]);
  return part;
}

double energy_of_first(Block& block) {
  block.measure();
  return *block.batch(0).potential + *block.batch(0).kinetic;
}

}  // namespace

std::array<Stage, 3> stages_of(double dt) {
  const double s = 1.0 / std::sqrt(3.0);
  return {Stage{0.5 * (1.0 - s) * dt, 0.5 * (0.5 + s) * dt, s * dt}, Stage{0.0, 0.5 * dt, -s * dt},
          Stage{0.0, 0.5 * (0.5 - s) * dt, 0.5 * (1.0 + s) * dt}};
}

void Team::wait() const {
  if (threads > 1) {
#pragma omp barrier
  }
}

int Block::batches_of(const Shape& shape) {
  const std::size_t bytes = sizeof(double) * shape.size();
  return std::clamp(static_cast<int>(block_bytes / bytes), 1, most_batches);
}

Block::Block(const Settings& settings, int batches)
    : settings_(settings),
      shape_(settings.model.n),
      batches_(batches),
      stages_(stages_of(settings.dt)),
      g_(settings.model.unit_kinetic() ? std::vector<double>{} : settings.model.kinetic_matrix()),
      storage_(static_cast<std::size_t>(batches) * shape_.size()),
      memory_(storage_.data()) {}

void Block::reset(int used) {
  used_ = used;
  const auto lanes = static_cast<std::size_t>(shape_.lanes);
  for (int i = 0; i < used; ++i) {
    const Batch b = batch(i);
    std::fill_n(b.action, lanes, 0.0);
    const std::size_t size = shape_.n * shape_.pitch() * lanes;
    std::fill_n(b.mq, size, 0.0);
    std::fill_n(b.mp, size, 0.0);
    for (int k = 0; k < shape_.n; ++k) {
      std::fill_n(b.mq + (k * shape_.pitch() + k) * lanes, lanes, 1.0);
      std::fill_n(b.mp + (k * shape_.pitch() + shape_.n + k) * lanes, lanes, 1.0);
    }
  }
}

void Block::step(const Team& team, const Clock& clock) {
  const int panels = (2 * shape_.n + panel_columns() - 1) / panel_columns();
  const base::Share mine = base::share_of(panels, team.thread, team.threads);
  const int begin = static_cast<int>(mine.first) * panel_columns();
  const int end = std::min(static_cast<int>(mine.end()) * panel_columns(), 2 * shape_.n);
  for (const Stage& stage : stages_) {
    if (team.thread == 0) {
      const base::TimedPart timed(clock, clock.force);
      for (int i = 0; i < used_; ++i) {
        const Batch b = batch(i);
        if (stage.before != 0.0) drift(shape_, b, kinetic_matrix(), stage.before);
        evaluate(settings_.model, shape_, b);
        kick(shape_, b, stage.kick);
        drift(shape_, b, kinetic_matrix(), stage.drift);
      }
    }
    const base::TimedPart timed(clock, clock.products);
    team.wait();
    for (int i = 0; i < used_; ++i)
      advance_columns(shape_, batch(i), kinetic_matrix(), stage, begin, end);
    team.wait();
  }
}

void Block::measure() {
  for (int i = 0; i < used_; ++i) {
    evaluate(settings_.model, shape_, batch(i));
    kinetic_energy(shape_, batch(i), kinetic_matrix());
  }
}

Trajectory trajectory(const Settings& settings, const std::vector<double>& q,
                      const std::vector<double>& p) {
  Block block(settings, 1);
  block.reset(1);
  const Batch batch = block.batch(0);
  const int n = block.shape().n, lanes = block.lanes();
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < lanes; ++lane)
      batch.q[i * lanes + lane] = q[i], batch.p[i * lanes + lane] = p[i];
  Trajectory t;
  t.energy = energy_of_first(block);
  for (std::int64_t i = 0; i < settings.steps; ++i) {
    block.step({}, {});
    t.most_energy_change =
        std::max(t.most_energy_change, std::abs(energy_of_first(block) - t.energy));
  }
  for (int i = 0; i < n; ++i) t.q.push_back(batch.q[i * lanes]), t.p.push_back(batch.p[i * lanes]);
  t.action = batch.action[0];
  t.qq = part_of(block, false, 0), t.qp = part_of(block, false, n);
  t.pq = part_of(block, true, 0), t.pp = part_of(block, true, n);
  return t;
}

double symplectic_defect(const Trajectory& t) {
  const std::size_t n = t.q.size();
  double most = 0.0;
  // Of columns i and j of M: sum_k q_ki p_kj - p_ki q_kj, which is J_ij.
  const auto q = [&](std::size_t k, std::size_t i) {
    return i < n ? t.qq[k * n + i] : t.qp[k * n + i - n];
  };
  const auto p = [&](std::size_t k, std::size_t i) {
    return i < n ? t.pq[k * n + i] : t.pp[k * n + i - n];
  };
  for (std::size_t i = 0; i < 2 * n; ++i)
    for (std::size_t j = 0; j < 2 * n; ++j) {
      double sum = j == i + n ? -1.0 : i == j + n ? 1.0 : 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += q(k, i) * p(k, j) - p(k, i) * q(k, j);
      if (!(std::abs(sum) <= most)) most = std::abs(sum);
    }
  return most;
}

double determinant_defect(const Trajectory& t) {
  const std::size_t n = t.q.size(), size = 2 * n;
  std::vector<std::vector<double>> rows(size, std::vector<double>(size));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      rows[i][j] = t.qq[i * n + j], rows[i][n + j] = t.qp[i * n + j];
      rows[n + i][j] = t.pq[i * n + j], rows[n + i][n + j] = t.pp[i * n + j];
    }
  double determinant = 1.0;
  for (std::size_t k = 0; k < size; ++k) {
    const auto pivot = std::max_element(
        rows.begin() + static_cast<std::ptrdiff_t>(k), rows.end(),
        [k](const auto& a, const auto& b) { return std::abs(a[k]) < std::abs(b[k]); });
    if (pivot != rows.begin() + static_cast<std::ptrdiff_t>(k)) {
      std::swap(*pivot, rows[k]);
      determinant = -determinant;
    }
    determinant *= rows[k][k];
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j < size; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  return determinant - 1.0;
}

}  // namespace hakaru::apps::semiclassical
