#include "apps/turbulence/update.hpp"

#include <cmath>

namespace hakaru::apps::turbulence {
namespace {

using Mask = std::int64_t __attribute__((vector_size(32)));

double total(Pair lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

// squares += |U|^2, weighted += k^2 |U|^2 over a row of a block. One copy in the program, so that a
// state gives the same bits whether it is measured when it is made or after a restart.
__attribute__((noinline)) void add_squares(const Complex* row, const double* kx_squared,
                                           double other_squared, int width, Pair& squares,
                                           Pair& weighted) {
  for (int i = 0; i < width; i += 2) {
    const Pair u = load(row + i), v = load(row + width + i), w = load(row + 2 * width + i);
    const Pair square = u * u + v * v + w * w;
    squares += square;
    weighted += square * (load(kx_squared + 2 * i) + all(other_squared));
  }
}

// transfer += Re conj(U) G, rate += |G|^2 over a row; G in three lines of scratch.
void add_transfer(const Complex* row, Scratch& scratch, int iky, int width, Pair& transfer,
                  Pair& rate) {
  for (int component = 0; component < 3; ++component)
    for (int i = 0; i < width; i += 2) {
      const Pair g = load(scratch.line(component) + iky * width + i);
      transfer += load(row + component * width + i) * g;
      rate += g * g;
    }
}

double weight_of(const Block& block) { return block.kz == 0 ? 1.0 : 2.0; }

// Rows of a block with retained modes, by index.
template <typename Visit>
void for_each_row(const Block& block, int n, Visit&& visit) {
  for (int iky = 0; iky <= block.reach; ++iky) visit(iky);
  for (int iky = n - block.reach; iky < n; ++iky) visit(iky);
}

}  // namespace

Update::Update(Workspace& workspace, const Nonlinear& nonlinear, double nu, double dt)
    : workspace_(workspace),
      nonlinear_(nonlinear),
      dt_(dt),
      decay_(2 * workspace.grid().n()),
      block_sums_(workspace.grid().blocks().size()),
      band_(workspace.grid().planes(), 0.0) {
  for (int i = 0; i < workspace.grid().n(); ++i) {
    const double k = workspace.grid().wavenumber(i);
    decay_[2 * i] = decay_[2 * i + 1] = std::exp(-0.5 * nu * k * k * dt);
  }
}

// Both grids joined, S = (a + b exp(-i (pi/n) (kx + ky + kz))) / 2, truncated and made solenoidal:
// G = S - k (k . S) / k^2. Reads lines 0..5 of the scratch, leaves G in lines 0..2.
void Update::project_row(const Block& block, int iky, Scratch& scratch) const {
  const Grid& grid = workspace_.grid();
  const Wavetables& tables = nonlinear_.tables();
  const int width = grid.width(), first = block.column * width;
  const double n = grid.n(), ky_value = grid.wavenumber(iky), kz_value = block.kz;
  const double other_squared = ky_value * ky_value + kz_value * kz_value;
  // Half for the mean of the grids, half for the factor 2 of separate().
  const Pair scale = all(0.25 / (n * n * n)), zero = all(0.0), nine = all(9.0);
  const Pair limit = all(2.0 * n * n - 9.0 * other_squared), ky = all(ky_value), kz = all(kz_value);
  const Complex yz = tables.shift[iky] * tables.shift[block.kz];
  const Pair phase_yz{yz.real(), yz.imag(), yz.real(), yz.imag()};
  for (int i = 0; i < width; i += 2) {
    const Pair phase = product(load(&tables.shift[first + i]), phase_yz);
    Pair s[3];
    for (int component = 0; component < 3; ++component) {
      const Pair plain = load(scratch.line(component) + iky * width + i);
      const Pair shifted = load(scratch.line(component + 3) + iky * width + i);
      s[component] = (plain + product_conjugate(shifted, phase)) * scale;
    }
    const Pair kx = load(&tables.k[2 * (first + i)]),
               kx_squared = load(&tables.k_squared[2 * (first + i)]);
    const Pair k_squared = kx_squared + all(other_squared);
    const Pair along = (kx * s[0] + ky * s[1] + kz * s[2]) / k_squared;
    const Mask kept = (nine * kx_squared < limit) & (k_squared > zero);
    const Pair g[3] = {s[0] - kx * along, s[1] - ky * along, s[2] - kz * along};
    for (int component = 0; component < 3; ++component)
      store(scratch.line(component) + iky * width + i,
            reinterpret_cast<Pair>(reinterpret_cast<Mask>(g[component]) & kept));
  }
}

template <Stage stage>
void Update::advance_row(const Block& block, int iky, const Complex* base, Complex* next,
                         Complex* sum, const Scratch& scratch) const {
  const int width = workspace_.grid().width(), first = block.column * width;
  const Pair decay_yz = all(decay_[2 * iky] * decay_[2 * block.kz]);
  const Pair half = all(0.5 * dt_), third = all(dt_ / 3.0), sixth = all(dt_ / 6.0),
             whole = all(dt_);
  const Complex* line = scratch.lines.data() + iky * width;
  for (int component = 0; component < 3; ++component, base += width, next += width, sum += width)
    for (int i = 0; i < width; i += 2) {
      const Pair g = load(line + component * scratch.line_size + i);
      const Pair e = load(&decay_[2 * (first + i)]) * decay_yz;
      if constexpr (stage == Stage::first) {
        const Pair u = load(base + i);
        store(next + i, e * (u + half * g));
        store(sum + i, e * e * (u + sixth * g));
      } else if constexpr (stage == Stage::second) {
        store(next + i, e * load(base + i) + half * g);
        store(sum + i, load(sum + i) + third * e * g);
      } else if constexpr (stage == Stage::third) {
        store(next + i, e * (e * load(base + i) + whole * g));
        store(sum + i, load(sum + i) + third * e * g);
      } else if constexpr (stage == Stage::fourth) {
        store(next + i, load(sum + i) + sixth * g);
      } else {
        store(next + i, g);
      }
    }
}

template <Stage stage>
void Update::apply_stage(const State& base, State& next, State& sum, const Forcing* forcing,
                         double coefficient) {
  constexpr bool balances = stage == Stage::first || stage == Stage::rate;
  const bool measures = stage == Stage::fourth || (forcing && stage != Stage::rate);
  const Grid& grid = workspace_.grid();
  const Clock& clock = workspace_.clock();
  const auto& blocks = grid.blocks();
  const int n = grid.n(), width = grid.width();
#pragma omp parallel num_threads(workspace_.threads())
  {
    const TimedPass outer(clock, clock.pointwise);
    Scratch& scratch = workspace_.scratch();
#pragma omp for schedule(static, 4)
    for (std::size_t task = 0; task < blocks.size(); ++task) {
      const Block& block = blocks[task];
      {
        const TimedPart timed(clock, clock.pack);
        for (int slot = 0; slot < 2 * results; ++slot)
          workspace_.gather(block, slot, scratch.line(slot));
      }
      {
        const TimedPart timed(clock, clock.fft);
        for (int slot = 0; slot < 2 * results; ++slot)
          workspace_.plans().lines.forward(scratch.line(slot));
      }
      Pair energy = all(0.0), enstrophy = all(0.0), transfer = all(0.0), rate = all(0.0);
      for_each_row(block, n, [&](int iky) {
        const std::size_t row = grid.row(block.plane, block.column, iky);
        const double ky = grid.wavenumber(iky);
        project_row(block, iky, scratch);
        if (balances) add_transfer(base.data() + row, scratch, iky, width, transfer, rate);
        if (forcing && forcing->touches(block, grid.wavenumber(iky)))
          forcing->add(block, iky, coefficient, scratch.line(0) + iky * width, scratch.line_size);
        advance_row<stage>(block, iky, base.data() + row, next.data() + row, sum.data() + row,
                           scratch);
        if (stage == Stage::fourth && forcing && forcing->touches(block, grid.wavenumber(iky)))
          forcing->make_solenoidal(block, iky, next.data() + row);
        if (measures)
          add_squares(next.data() + row, &nonlinear_.tables().k_squared[2 * block.column * width],
                      ky * ky + double(block.kz) * block.kz, width, energy, enstrophy);
      });
      BlockSums& sums = block_sums_[task];
      const double weight = weight_of(block);
      if (measures)
        sums.energy = 0.5 * weight * total(energy),
        sums.enstrophy = 0.5 * weight * total(enstrophy);
      if (balances)
        sums.transfer = weight * total(transfer), sums.rate_squared = weight * total(rate);
    }
  }
  if (measures && forcing) band_ = forcing->band_energy(next);
}

void Update::apply(Stage stage, const State& base, State& next, State& sum, const Forcing* forcing,
                   double coefficient) {
  switch (stage) {
    case Stage::first:
      return apply_stage<Stage::first>(base, next, sum, forcing, coefficient);
    case Stage::second:
      return apply_stage<Stage::second>(base, next, sum, forcing, coefficient);
    case Stage::third:
      return apply_stage<Stage::third>(base, next, sum, forcing, coefficient);
    case Stage::fourth:
      return apply_stage<Stage::fourth>(base, next, sum, forcing, coefficient);
    case Stage::rate:
      return apply_stage<Stage::rate>(base, next, sum, forcing, coefficient);
  }
}

void Update::measure(const State& state, const Forcing* forcing) {
  const Grid& grid = workspace_.grid();
  const auto& blocks = grid.blocks();
#pragma omp parallel for schedule(static, 4) num_threads(workspace_.threads())
  for (std::size_t task = 0; task < blocks.size(); ++task) {
    const Block& block = blocks[task];
    Pair energy = all(0.0), enstrophy = all(0.0);
    for_each_row(block, grid.n(), [&](int iky) {
      const double ky = grid.wavenumber(iky);
      add_squares(state.data() + grid.row(block.plane, block.column, iky),
                  &nonlinear_.tables().k_squared[2 * block.column * grid.width()],
                  ky * ky + double(block.kz) * block.kz, grid.width(), energy, enstrophy);
    });
    block_sums_[task].energy = 0.5 * weight_of(block) * total(energy);
    block_sums_[task].enstrophy = 0.5 * weight_of(block) * total(enstrophy);
  }
  if (forcing) band_ = forcing->band_energy(state);
}

Sums Update::reduce() {
  const Grid& grid = workspace_.grid();
  const TimedPass timed(workspace_.clock(), workspace_.clock().reduce);
  constexpr int columns = 5;
  // One row a plane, zero but on the rank that holds it: the sum over ranks is exact.
  std::vector<double> planes(static_cast<std::size_t>(columns) * (grid.cutoff() + 1), 0.0);
  for (std::size_t task = 0; task < grid.blocks().size(); ++task) {
    double* row = &planes[static_cast<std::size_t>(columns) * grid.blocks()[task].kz];
    const BlockSums& sums = block_sums_[task];
    row[0] += sums.energy, row[1] += sums.enstrophy, row[2] += sums.transfer,
        row[3] += sums.rate_squared;
  }
  for (int plane = 0; plane < grid.planes() && grid.kz_of(plane) <= grid.cutoff(); ++plane)
    planes[static_cast<std::size_t>(columns) * grid.kz_of(plane) + 4] = band_[plane];
  workspace_.communicator().sum(planes);
  Sums result;
  for (std::size_t i = 0; i < planes.size(); i += columns) {
    result.energy += planes[i], result.enstrophy += planes[i + 1], result.transfer += planes[i + 2];
    result.rate_squared += planes[i + 3], result.band += planes[i + 4];
  }
  return result;
}

}  // namespace hakaru::apps::turbulence
