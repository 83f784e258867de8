#include "apps/mpi_fft/reference.hpp"

#include <limits>
#include <numbers>

#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::mpi_fft {

namespace {

// Steele, Lea and Flood: SplitMix64 (OOPSLA 2014).
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

double uniform(std::uint64_t value) {
  return (static_cast<double>(mixed(value) >> 12) + 0.5) * 0x1p-52 - 0.5;
}

}  // namespace

Complex input(std::int64_t n) {
  const auto place = 2 * static_cast<std::uint64_t>(n);
  return {uniform(place), uniform(place + 1)};
}

std::vector<Complex> own_input(const Shape& shape, int rank) {
  std::vector<Complex> values;
  for (std::int64_t i = 0; i < shape.own(); ++i) values.push_back(input(rank * shape.own() + i));
  return values;
}

Complex direct(const Shape& shape, const parallel::Communicator& world, std::int64_t k) {
  std::array<parallel::ExactSum, 2> sums;
  for (std::int64_t i = 0; i < shape.own(); ++i) {
    const std::int64_t n = world.rank() * shape.own() + i;
    const auto turns = static_cast<std::int64_t>(static_cast<__int128>(n) * k % shape.length());
    const Complex term =
        input(n) * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(turns) /
                                       static_cast<double>(shape.length()));
    sums[0].add(term.real());
    sums[1].add(term.imag());
  }
  const auto totals = parallel::exact_sums(world, sums);
  return {totals[0], totals[1]};
}

double residual(const Shape& shape, const parallel::Communicator& world,
                const std::vector<Complex>& back) {
  double worst = 0.0;
  bool finite = true;
  for (std::int64_t i = 0; i < shape.own(); ++i) {
    const double distance =
        std::abs(back[static_cast<std::size_t>(i)] - input(world.rank() * shape.own() + i));
    finite = finite && std::isfinite(distance);
    worst = std::max(worst, distance);
  }
  if (!world.all(finite)) return std::numeric_limits<double>::quiet_NaN();
  return world.maximum(worst) / (std::numeric_limits<double>::epsilon() * shape.log2_length());
}

double energy(const parallel::Communicator& world, const Complex* values, std::int64_t count) {
  parallel::ExactSum sum;
  for (std::int64_t i = 0; i < count; ++i) sum.add(std::norm(values[i]));
  return parallel::exact_sum(world, sum);
}

}  // namespace hakaru::apps::mpi_fft
