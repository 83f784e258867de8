#include "apps/turbulence/nonlinear.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/turbulence/planes.hpp"

namespace hakaru::apps::turbulence {
namespace {

// u and w = i k x u of one row of a block, both times the phase of the shifted grid.
struct RotationalRow {
  static void compute(Pair u, Pair v, Pair w, Pair kx, Pair ky, Pair kz, Pair out[fields]) {
    out[0] = u, out[1] = v, out[2] = w;
    out[3] = times_i(ky * w - kz * v);
    out[4] = times_i(kz * u - kx * w);
    out[5] = times_i(kx * v - ky * u);
  }
};

// u and du/dx, dv/dy, dw/dz.
struct DerivativeRow {
  static void compute(Pair u, Pair v, Pair w, Pair kx, Pair ky, Pair kz, Pair out[fields]) {
    out[0] = u, out[1] = v, out[2] = w;
    out[3] = times_i(kx * u), out[4] = times_i(ky * v), out[5] = times_i(kz * w);
  }
};

template <typename Row>
void compute_row(const Grid& grid, const Wavetables& tables, const Block& block,
                 const Complex* velocity, int iky, bool shifted, Scratch& scratch) {
  const int width = grid.width(), first = block.column * width;
  const Complex* from = velocity + grid.row(block.plane, block.column, iky);
  const Pair ky = all(grid.wavenumber(iky)), kz = all(block.kz);
  const Complex yz = tables.shift[iky] * tables.shift[block.kz];
  const Pair phase_yz{yz.real(), yz.imag(), yz.real(), yz.imag()};
  for (int i = 0; i < width; i += 2) {
    Pair u = load(from + i), v = load(from + width + i), w = load(from + 2 * width + i);
    if (shifted) {
      const Pair phase = product(load(&tables.shift[first + i]), phase_yz);
      u = product(u, phase), v = product(v, phase), w = product(w, phase);
    }
    Pair out[fields];
    Row::compute(u, v, w, load(&tables.k[2 * (first + i)]), ky, kz, out);
    for (int field = 0; field < fields; ++field)
      store(scratch.line(field) + iky * width + i, out[field]);
  }
}

template <typename Row>
void compute_block(const Grid& grid, const Wavetables& tables, const Block& block,
                   const Complex* velocity, bool shifted, Scratch& scratch) {
  const int n = grid.n(), width = grid.width(), reach = block.reach;
  for (int iky = 0; iky <= reach; ++iky)
    compute_row<Row>(grid, tables, block, velocity, iky, shifted, scratch);
  for (int field = 0; field < fields; ++field)
    std::fill(scratch.line(field) + (reach + 1) * width, scratch.line(field) + (n - reach) * width,
              Complex{});
  for (int iky = n - reach; iky < n; ++iky)
    compute_row<Row>(grid, tables, block, velocity, iky, shifted, scratch);
}

// Columns (u + i wx), (v + i wy), (w + i wz) of one block of x -> (u x w)_x + i (u x w)_y in column
// 0 and, of this plane and the one before, (u x w)_z in column 1. Im(conj(v + i wy) (w + i wz)) = v
// wz - w wy is the first component; the others follow in turn.
void cross(Scratch& scratch, int first_x, int n, int row_width, bool second_plane) {
  for (int z = 0; z < n; ++z) {
    Complex *x = scratch.column(0) + z * row_width, *y = scratch.column(1) + z * row_width,
            *w = scratch.column(2) + z * row_width;
    double* saved = &scratch.saved[static_cast<std::size_t>(z) * n + first_x];
    for (int i = 0; i < row_width; i += 2) {
      const Pair a = load(x + i), b = load(y + i), c = load(w + i);
      const Pair first = b * swapped(c), second = c * swapped(a), third = a * swapped(b);
      store(x + i, join_real(first, second) - join_imaginary(first, second));
      const Pair difference = third - swapped(third);
      if (second_plane) {
        store(y + i, Pair{saved[i], difference[0], saved[i + 1], difference[2]});
      } else {
        saved[i] = difference[0];
        saved[i + 1] = difference[2];
      }
    }
  }
}

// Sums over a block of x; see Nonlinear::moments.
void add_moments(Scratch& scratch, int n, int row_width, double* sums) {
  for (int z = 0; z < n; ++z)
    for (int i = 0; i < row_width; ++i) {
      double speed = 0.0;
      for (int direction = 0; direction < 3; ++direction) {
        const Complex value = scratch.column(direction)[z * row_width + i];
        const double slope = value.imag();
        sums[2 * direction] += slope * slope;
        sums[2 * direction + 1] += slope * slope * slope;
        speed += std::abs(value.real());
      }
      sums[6] = std::max(sums[6], speed);
    }
}

// The six fields of one plane of constant y: transformed along x, paired into three columns for
// each block of x, transformed along z, and given to work(first_x).
template <typename Work>
void visit_plane(Workspace& workspace, Scratch& scratch, Work&& work) {
  const Grid& grid = workspace.grid();
  const Plans& plans = workspace.plans();
  const int n = grid.n(), width = plans.row_width, rows = grid.cutoff() + 1;
  for (int field = 0; field < fields; ++field) plans.rows.inverse(scratch.row(field, 0));
  for (int first_x = 0; first_x < n; first_x += width) {
    {
      const TimedPart timed(workspace.clock(), workspace.clock().pointwise);
      for (int direction = 0; direction < 3; ++direction)
        combine(scratch, direction, direction + 3, direction, first_x, n, width, rows);
    }
    for (int direction = 0; direction < 3; ++direction)
      plans.columns.inverse(scratch.column(direction));
    work(first_x);
  }
}

void gather_plane(Workspace& workspace, Scratch& scratch, int slot, int local_y) {
  const TimedPart timed(workspace.clock(), workspace.clock().pack);
  for (int field = 0; field < fields; ++field)
    workspace.gather_rows(slot + field, local_y, field, scratch);
}

// u x w on one plane of a pair; its transforms along z and x end in rows 0, 1 (first two
// components) and, after the second plane, in rows 2 (third component of this plane) and 3 (of the
// plane before).
void multiply_plane(Workspace& workspace, Scratch& scratch, bool second_plane) {
  const Grid& grid = workspace.grid();
  const Plans& plans = workspace.plans();
  const Clock& clock = workspace.clock();
  const int n = grid.n(), width = plans.row_width, rows = grid.cutoff() + 1;
  visit_plane(workspace, scratch, [&](int first_x) {
    {
      const TimedPart timed(clock, clock.pointwise);
      cross(scratch, first_x, n, width, second_plane);
    }
    plans.columns.forward(scratch.column(0));
    if (second_plane) plans.columns.forward(scratch.column(1));
    const TimedPart timed(clock, clock.pointwise);
    separate(scratch, 0, 0, 1, first_x, n, width, rows);
    if (second_plane) separate(scratch, 1, 3, 2, first_x, n, width, rows);
  });
  for (int field = 0; field < (second_plane ? 4 : 2); ++field)
    plans.rows.forward(scratch.row(field, 0));
}

}  // namespace

Wavetables::Wavetables(const Grid& grid)
    : k(2 * grid.n()), k_squared(2 * grid.n()), shift(grid.n()) {
  for (int i = 0; i < grid.n(); ++i) {
    const double wavenumber = grid.wavenumber(i);
    k[2 * i] = k[2 * i + 1] = wavenumber;
    k_squared[2 * i] = k_squared[2 * i + 1] = wavenumber * wavenumber;
    shift[i] = std::polar(1.0, std::numbers::pi / grid.n() * wavenumber);
  }
}

void Nonlinear::lines_to_slots(const State& velocity, bool shifted, bool derivatives, int first) {
  const Grid& grid = workspace_.grid();
  const Clock& clock = workspace_.clock();
  const auto& blocks = grid.blocks();
#pragma omp parallel num_threads(workspace_.threads())
  {
    const TimedPass whole(clock, clock.fft);
    Scratch& scratch = workspace_.scratch();
#pragma omp for schedule(static, 4)
    for (std::size_t task = 0; task < blocks.size(); ++task) {
      {
        const TimedPart timed(clock, clock.pointwise);
        if (derivatives)
          compute_block<DerivativeRow>(grid, tables_, blocks[task], velocity.data(), shifted,
                                       scratch);
        else
          compute_block<RotationalRow>(grid, tables_, blocks[task], velocity.data(), shifted,
                                       scratch);
      }
      for (int field = 0; field < fields; ++field)
        workspace_.plans().lines.inverse(scratch.line(field));
      const TimedPart timed(clock, clock.pack);
      for (int field = 0; field < fields; ++field)
        workspace_.scatter(blocks[task], scratch.line(field), first + field);
      fence();
    }
  }
}

void Nonlinear::multiply(int first) {
  const Grid& grid = workspace_.grid();
  const Clock& clock = workspace_.clock();
  const int slot = workspace_.physical_slot(first, first);
#pragma omp parallel num_threads(workspace_.threads())
  {
    const TimedPass whole(clock, clock.fft);
    Scratch& scratch = workspace_.scratch();
#pragma omp for schedule(static)
    for (int pair = 0; pair < grid.local_y() / 2; ++pair) {
      for (int half = 0; half < 2; ++half) {
        const int y = 2 * pair + half;
        gather_plane(workspace_, scratch, slot, y);
        multiply_plane(workspace_, scratch, half == 1);
        const TimedPart timed(clock, clock.pack);
        for (int component = 0; component < 2 + half; ++component)
          workspace_.scatter_rows(slot + component, y, component, scratch);
        if (half == 1) workspace_.scatter_rows(slot + 2, y - 1, 3, scratch);
      }
    }
  }
}

void Nonlinear::evaluate(const State& velocity) {
  for (const bool shifted : {false, true}) {
    const int first = shifted ? results : 0;
    lines_to_slots(velocity, shifted, false, first);
    workspace_.to_physical(first, fields);
    multiply(first);
    workspace_.to_spectral(first, results);
  }
}

std::vector<double> Nonlinear::moments(const State& velocity) {
  const Grid& grid = workspace_.grid();
  lines_to_slots(velocity, false, true, 0);
  workspace_.to_physical(0, fields);
  std::vector<double> sums(static_cast<std::size_t>(grid.local_y()) * moments_per_plane, 0.0);
#pragma omp parallel for schedule(static) num_threads(workspace_.threads())
  for (int y = 0; y < grid.local_y(); ++y) {
    Scratch& scratch = workspace_.scratch();
    gather_plane(workspace_, scratch, workspace_.physical_slot(0, 0), y);
    visit_plane(workspace_, scratch, [&](int) {
      add_moments(scratch, grid.n(), workspace_.plans().row_width,
                  &sums[static_cast<std::size_t>(y) * moments_per_plane]);
    });
  }
  return sums;
}

}  // namespace hakaru::apps::turbulence
