#include "apps/ft/solver.hpp"

#include <cmath>
#include <numbers>

#include "native/base/nas_random.hpp"
#include "native/base/share.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::ft {

// Does the steps of steps.hpp.
class Runner {
 public:
  Runner(Solver& solver, base::Phases& phases, const PhaseIndices& indices)
      : solver_(solver), phases_(phases), indices_(indices) {}

  void initial_values(Array array) {
    loop(indices_.set_up, [&] { solver_.fill(array); });
  }
  void exponents() {
    loop(indices_.set_up, [&] {
      for (const Axis axis : {along_x, along_y, along_z}) {
        const std::int64_t n = solver_.plan_.grid.n[axis];
        solver_.exponents_[axis].resize(static_cast<std::size_t>(n));
        for (std::int64_t k = 0; k < n; ++k) {
          const double wave = static_cast<double>(k < (n + 1) / 2 ? k : k - n);
          solver_.exponents_[axis][k] =
              -4.0 * std::numbers::pi * std::numbers::pi * alpha * wave * wave;
        }
      }
    });
  }
  void clear(Array array) {
    loop(indices_.set_up, [&] {
      const std::int64_t count = slab_of(solver_.plan_, array).elements(solver_.world_.rank());
      std::fill_n(solver_.mover_.array(array), count, Complex{});
    });
  }
  void transform(Array array, Axis axis, Direction direction) {
    loop(indices_.transform, [&] {
      solver_.transforms_(slab_of(solver_.plan_, array), solver_.world_.rank(), axis, direction,
                          solver_.mover_.array(array));
    });
  }
  void move(Array from, Array to) {
    auto phase = phases_.scope(indices_.transposition);
    solver_.mover_.move(from, to);
  }
  void fetch(Array from, Array to) {
    auto phase = phases_.scope(indices_.transposition);
    solver_.mover_.fetch(from, to);
  }
  template <typename Body>
  void repeat(std::int64_t times, const Body& body) {
    for (std::int64_t t = 1; t <= times; ++t) body(t);
  }
  void evolve(std::int64_t t) {
    loop(indices_.evolve, [&] { solver_.evolve(t); });
  }
  void checksum(std::int64_t, Array array) {
    loop(indices_.checksum, [&] { solver_.checksums_.push_back(solver_.checksum(array)); });
    solver_.final_ = array;
  }

 private:
  // In the published style every parallel loop ends with a barrier.
  template <typename Body>
  void loop(int phase, const Body& body) {
    {
      auto scope = phases_.scope(phase);
      body();
    }
    if (solver_.plan_.style != Style::published) return;
    auto scope = phases_.scope(indices_.barrier);
    solver_.world_.barrier();
  }

  Solver& solver_;
  base::Phases& phases_;
  PhaseIndices indices_;
};

Solver::Solver(const Plan& plan, const parallel::Communicator& world, Planning planning)
    : plan_(plan),
      world_(world),
      mover_(plan, world),
      transforms_(plan.grid, planning),
      exact_sums_(planning == Planning::equal) {}

void Solver::run(base::Phases& phases, const PhaseIndices& indices) {
  checksums_.clear();
  Runner runner(*this, phases, indices);
  repetition(plan_, runner);
}

// Real and imaginary parts are consecutive random numbers, x fastest.
void Solver::fill(Array array) {
  const Slab slab = slab_of(plan_, array);
  const int rank = world_.rank();
  const std::int64_t nx = plan_.grid.n[along_x], ny = plan_.grid.n[along_y];
  const base::Share planes = slab.range(rank, along_z);
  Complex* values = mover_.array(array);
#pragma omp parallel for schedule(static)
  for (std::int64_t z = 0; z < planes.count; ++z) {
    base::nas::Random random(static_cast<std::uint64_t>(2 * nx * ny * (planes.first + z)));
    for (std::int64_t y = 0; y < ny; ++y) {
      Complex* row = values + z * slab.step(rank, along_z) + y * slab.step(rank, along_y);
      for (std::int64_t x = 0; x < nx; ++x) {
        const double real = random.next();
        row[x] = {real, random.next()};
      }
    }
  }
  if (damaged_ && planes.first == 0) values[0] += 1e-3 * plan_.grid.points();
}

// The spectrum at time t: U_k exp(-4 pi^2 alpha |k|^2 t).
void Solver::evolve(std::int64_t t) {
  const Slab slab = slab_of(plan_, Array::spectrum);
  const int rank = world_.rank();
  std::array<std::vector<double>, 3> decay = exponents_;
  for (auto& factors : decay)
    for (double& factor : factors) factor = std::exp(factor * static_cast<double>(t));
  const Complex* spectrum = mover_.array(Array::spectrum);
  Complex* evolved = mover_.array(Array::evolved);
  const base::Share rows = slab.range(rank, along_y);
  const std::int64_t nx = plan_.grid.n[along_x], nz = plan_.grid.n[along_z];
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t z = 0; z < nz; ++z)
    for (std::int64_t y = 0; y < rows.count; ++y) {
      const std::int64_t at = z * slab.step(rank, along_z) + y * slab.step(rank, along_y);
      const double factor = decay[along_z][z] * decay[along_y][rows.first + y];
      for (std::int64_t x = 0; x < nx; ++x)
        evolved[at + x] = spectrum[at + x] * (factor * decay[along_x][x]);
    }
}

// Sum over j = 1 ... 1024 of u(j mod nx, 3 j mod ny, 5 j mod nz) / points.
Complex Solver::checksum(Array array) {
  const Slab slab = slab_of(plan_, array);
  const int rank = world_.rank(), parts = plan_.checksum_parts();
  const auto& n = plan_.grid.n;
  const base::Share rows = slab.range(rank, along_y), planes = slab.range(rank, along_z);
  const Complex* values = mover_.array(array);
  Complex total;
  std::vector<parallel::ExactSum> exact(2);
  for (int part = 0; part < parts; ++part) {
    std::vector<double> sum(2);
    const base::Share terms = base::share_of(checksum_terms, part, parts);
    for (std::int64_t j = 1 + terms.first; j <= terms.end(); ++j) {
      const std::int64_t x = j % n[0], y = 3 * j % n[1] - rows.first,
                         z = 5 * j % n[2] - planes.first;
      if (y < 0 || y >= rows.count || z < 0 || z >= planes.count) continue;
      const Complex value = values[x + y * slab.step(rank, along_y) + z * slab.step(rank, along_z)];
      if (exact_sums_) exact[0].add(value.real()), exact[1].add(value.imag());
      sum[0] += value.real();
      sum[1] += value.imag();
    }
    if (exact_sums_) continue;
    if (parts == 1)
      world_.sum(sum);
    else
      for (double& component : sum) component = world_.sum(component);
    total += Complex{sum[0], sum[1]};
  }
  if (exact_sums_) {
    const auto sums = parallel::exact_sums(world_, exact);
    total = {sums[0], sums[1]};
  }
  return total / plan_.grid.points();
}

}  // namespace hakaru::apps::ft
