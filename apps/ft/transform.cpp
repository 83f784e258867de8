#include "apps/ft/transform.hpp"

#include <algorithm>
#include <cmath>

#include "native/base/aligned.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::ft {
namespace {

constexpr std::int64_t width = 8;  // lines in the buffer: 32 KiB for 256 points

fftw_complex* fftw(Complex* values) { return reinterpret_cast<fftw_complex*>(values); }

fftw_plan make_plan(Axis axis, std::int64_t n, Direction direction, Planning planning) {
  const int length = static_cast<int>(n), stride = axis == along_x ? 1 : width;
  const int many = axis == along_x ? 1 : width;
  base::AlignedArray<Complex> buffer(static_cast<std::size_t>(n * width));
  fftw_plan plan = fftw_plan_many_dft(
      1, &length, many, fftw(buffer.data()), nullptr, stride, 1, fftw(buffer.data()), nullptr,
      stride, 1, direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD,
      planning == Planning::timed ? FFTW_MEASURE : FFTW_ESTIMATE);
  base::require_environment(plan != nullptr, "FFTW has no plan for a transform",
                            "fftw_plan_many_dft returned none", "try another grid");
  return plan;
}

}  // namespace

Transforms::Transforms(const Grid& grid, Planning planning) {
  for (const Axis axis : {along_x, along_y, along_z})
    for (const Direction direction : {Direction::forward, Direction::inverse})
      plans_[axis][static_cast<int>(direction)].reset(
          make_plan(axis, grid.n[axis], direction, planning));
}

void Transforms::operator()(const Slab& slab, int rank, Axis axis, Direction direction,
                            Complex* values) const {
  fftw_plan plan = plans_[axis][static_cast<int>(direction)].get();
  if (axis == along_x)
    rows(slab, rank, plan, values);
  else
    across(slab, rank, axis, plan, values);
}

void Transforms::rows(const Slab& slab, int rank, fftw_plan plan, Complex* values) const {
  const std::int64_t planes = slab.count(rank, along_z), count = slab.count(rank, along_y);
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t z = 0; z < planes; ++z)
    for (std::int64_t y = 0; y < count; ++y) {
      Complex* row = values + z * slab.step(rank, along_z) + y * slab.step(rank, along_y);
      fftw_execute_dft(plan, fftw(row), fftw(row));
    }
}

void Transforms::across(const Slab& slab, int rank, Axis axis, fftw_plan plan,
                        Complex* values) const {
  const Axis other = axis == along_y ? along_z : along_y;
  const std::int64_t n = slab.n[axis], step = slab.step(rank, axis);
  const std::int64_t planes = slab.count(rank, other), x_count = slab.count(rank, along_x);
#pragma omp parallel
  {
    base::AlignedArray<Complex> buffer(static_cast<std::size_t>(n * width), base::Pages::base);
#pragma omp for collapse(2) schedule(static)
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (std::int64_t x = 0; x < x_count; x += width) {
        Complex* first = values + plane * slab.step(rank, other) + x;
        const std::int64_t lines = std::min(width, x_count - x);
        for (std::int64_t i = 0; i < n; ++i)
          std::copy_n(first + i * step, lines, buffer.data() + i * width);
        fftw_execute_dft(plan, fftw(buffer.data()), fftw(buffer.data()));
        for (std::int64_t i = 0; i < n; ++i)
          std::copy_n(buffer.data() + i * width, lines, first + i * step);
      }
  }
}

double transform_flops(const Slab& slab, int rank, Axis axis) {
  return 5.0 * slab.points(rank) * std::log2(static_cast<double>(slab.n[axis]));
}

}  // namespace hakaru::apps::ft
