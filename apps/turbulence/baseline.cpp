#include "apps/turbulence/baseline.hpp"

#include <algorithm>

#include "apps/turbulence/planes.hpp"

namespace hakaru::apps::turbulence {
namespace {

constexpr int evaluations = 8;  // two grids in each of four stages

}  // namespace

void OwnBaseline::run() {
  for (int evaluation = 0; evaluation < evaluations; ++evaluation) {
    lines_to_slots();
    solver_.workspace().to_physical(0, fields);
    planes();
    solver_.workspace().to_spectral(0, results);
    slots_to_lines();
  }
}

void OwnBaseline::lines_to_slots() {
  Workspace& workspace = solver_.workspace();
  const Grid& grid = solver_.grid();
  const int n = grid.n(), width = grid.width();
#pragma omp parallel for collapse(2) schedule(static, 4) num_threads(workspace.threads())
  for (int plane = 0; plane < grid.planes(); ++plane)
    for (int column = 0; column < grid.columns(); ++column) {
      Scratch& scratch = workspace.scratch();
      const Block block{plane, column, grid.kz_of(plane), 0};
      for (int iky = 0; iky < n; ++iky) {
        const Complex* from = solver_.velocity().data() + grid.row(plane, column, iky);
        for (int i = 0; i < 3 * width; i += 2) {
          const Pair value = load(from + i);
          const int field = i / width, lane = i % width;
          store(scratch.line(field) + iky * width + lane, value);
          store(scratch.line(field + 3) + iky * width + lane, value);
        }
      }
      for (int field = 0; field < fields; ++field) {
        workspace.plans().lines.inverse(scratch.line(field));
        workspace.scatter(block, scratch.line(field), field);
      }
      fence();
    }
}

void OwnBaseline::planes() {
  Workspace& workspace = solver_.workspace();
  const Plans& plans = workspace.plans();
  const Grid& grid = solver_.grid();
  const int n = grid.n(), width = plans.row_width, rows = n / 2;
#pragma omp parallel for schedule(static) num_threads(workspace.threads())
  for (int pair = 0; pair < grid.local_y() / 2; ++pair)
    for (int half = 0; half < 2; ++half) {
      Scratch& scratch = workspace.scratch();
      const int y = 2 * pair + half;
      for (int field = 0; field < fields; ++field) {
        for (int kz = 0; kz < rows; ++kz) {
          const Complex* from = workspace.physical_line(field, y, kz);
          std::copy(from, from + n, scratch.row(field, kz));
        }
        plans.full_rows.inverse(scratch.row(field, 0));
      }
      for (int first_x = 0; first_x < n; first_x += width) {
        for (int direction = 0; direction < 3; ++direction) {
          combine(scratch, direction, direction + 3, direction, first_x, n, width, rows);
          plans.columns.inverse(scratch.column(direction));
        }
        for (int column = 0; column <= half; ++column) {
          plans.columns.forward(scratch.column(column));
          separate(scratch, column, 2 * column, 2 * column + 1, first_x, n, width, rows);
        }
      }
      for (int row = 0; row < 2 + 2 * half; ++row) plans.full_rows.forward(scratch.row(row, 0));
      for (int row = 0; row < 2 + 2 * half; ++row)
        for (int kz = 0; kz < rows; ++kz) {
          const Complex* from = scratch.row(row, kz);
          std::copy(from, from + n,
                    workspace.physical_line(std::min(row, 2), row == 3 ? y - 1 : y, kz));
        }
    }
}

void OwnBaseline::slots_to_lines() {
  Workspace& workspace = solver_.workspace();
  const Grid& grid = solver_.grid();
  const int n = grid.n(), width = grid.width();
#pragma omp parallel for collapse(2) schedule(static, 4) num_threads(workspace.threads())
  for (int plane = 0; plane < grid.planes(); ++plane)
    for (int column = 0; column < grid.columns(); ++column) {
      Scratch& scratch = workspace.scratch();
      for (int field = 0; field < results; ++field) {
        workspace.gather({plane, column, grid.kz_of(plane), 0}, field, scratch.line(field));
        workspace.plans().lines.forward(scratch.line(field));
      }
      for (int iky = 0; iky < n; ++iky) {
        Complex* to = output_.data() + grid.row(plane, column, iky);
        for (int i = 0; i < 3 * width; i += 2)
          store(to + i, load(scratch.line(i / width) + iky * width + i % width));
      }
    }
}

FftwBaseline::FftwBaseline(int n)
    : spectrum_(static_cast<std::size_t>(n) * n * (n / 2 + 1)),
      values_(static_cast<std::size_t>(n) * n * n) {
  auto* spectrum = reinterpret_cast<fftw_complex*>(spectrum_.data());
  inverse_ = fftw_plan_dft_c2r_3d(n, n, n, spectrum, values_.data(), FFTW_MEASURE);
  forward_ =
      fftw_plan_dft_r2c_3d(n, n, n, values_.data(), spectrum, FFTW_MEASURE | FFTW_DESTROY_INPUT);
  // Zeros stay zeros, however often they are transformed.
  std::fill(spectrum_.begin(), spectrum_.end(), Complex{});
  std::fill(values_.begin(), values_.end(), 0.0);
}

FftwBaseline::~FftwBaseline() {
  fftw_destroy_plan(inverse_);
  fftw_destroy_plan(forward_);
}

void FftwBaseline::run() {
  for (int evaluation = 0; evaluation < evaluations; ++evaluation) {
    for (int field = 0; field < fields; ++field) fftw_execute(inverse_);
    for (int field = 0; field < results; ++field) fftw_execute(forward_);
  }
}

}  // namespace hakaru::apps::turbulence
