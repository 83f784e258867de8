#include "apps/turbulence/fourier.hpp"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "native/base/require.hpp"

namespace hakaru::apps::turbulence {
namespace {

unsigned flag_of(Rigor rigor) {
  return rigor == Rigor::estimate  ? FFTW_ESTIMATE
         : rigor == Rigor::measure ? FFTW_MEASURE
                                   : FFTW_PATIENT;
}

struct Shape {
  fftw_iodim transform, repeat;
};

Plan make_plan(const Shape& shape, int sign, unsigned flag, Complex* scratch) {
  auto* data = reinterpret_cast<fftw_complex*>(scratch);
  fftw_plan plan =
      fftw_plan_guru_dft(1, &shape.transform, 1, &shape.repeat, data, data, sign, flag);
  base::require_environment(plan != nullptr, "FFTW has no plan for a transform",
                            "fftw_plan_guru_dft returned none", "try plan=estimate");
  return Plan(plan);
}

TransformPair make_pair(const Shape& shape, unsigned flag, Complex* scratch) {
  return {make_plan(shape, FFTW_BACKWARD, flag, scratch),
          make_plan(shape, FFTW_FORWARD, flag, scratch)};
}

// What rank 0 found out is told to the others: plans measured by each rank for itself would differ
// in the last bits.
void share_wisdom(const parallel::Communicator& world) {
  std::vector<char> wisdom;
  if (world.rank() == 0) {
    const std::unique_ptr<char, decltype(&std::free)> text(fftw_export_wisdom_to_string(),
                                                           &std::free);
    const std::string copy = text ? text.get() : "";
    wisdom.assign(copy.begin(), copy.end());
    wisdom.push_back('\0');
  }
  std::vector<int> length{static_cast<int>(wisdom.size())};
  world.broadcast(length, 0);
  wisdom.resize(length[0]);
  world.broadcast(wisdom, 0);
  if (world.rank() != 0) fftw_import_wisdom_from_string(wisdom.data());
}

}  // namespace

int Plans::row_width_of(int n) {
  // 32 KiB, the size of a first-level cache.
  return Grid::even_divisor(n, std::max(2, 2048 / n));
}

Plans::Plans(int n, Rigor rigor, const parallel::Communicator& world)
    : width(Grid::block_width(n)), row_width(row_width_of(n)), row_stride(row_stride_of(n)) {
  base::AlignedArray<Complex> scratch(static_cast<std::size_t>(n) * (row_stride + row_width));
  const int cutoff = Grid::reach(n, 0);
  auto make_all = [&] {
    const unsigned flag = flag_of(rigor);
    lines = make_pair({{n, width, width}, {width, 1, 1}}, flag, scratch.data());
    columns = make_pair({{n, row_width, row_width}, {row_width, 1, 1}}, flag, scratch.data());
    rows = make_pair({{n, 1, 1}, {cutoff + 1, row_stride, row_stride}}, flag, scratch.data());
    full_rows = make_pair({{n, 1, 1}, {n / 2, row_stride, row_stride}}, flag, scratch.data());
  };
  if (world.rank() == 0) make_all();
  if (rigor != Rigor::estimate && world.size() > 1) share_wisdom(world);
  if (world.rank() != 0) make_all();
}

}  // namespace hakaru::apps::turbulence
