#include "apps/mpi_fft/reference.hpp"

#include <limits>
#include <numbers>

#include "native/base/mixed_bits.hpp"
#include "native/parallel/exact_reduction.hpp"

namespace hakaru::apps::mpi_fft {

namespace {

double uniform(std::uint64_t value) {
  return (static_cast<double>(base::mixed_bits(value + base::golden_step) >> 12) + 0.5) * 0x1p-52 -
         0.5;
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

namespace {

// Largest distance of five numbers from their sums, in units of epsilon log2 N sqrt(N): a sum of N
// terms of random sign is of order sqrt(N). The numbers lie on different ranks.
double distance_from_sums(const Shape& shape, const parallel::Communicator& world,
                          const std::vector<Complex>& output) {
  double worst = 0.0;
  const std::int64_t n = shape.length();
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, n / 3, n / 2 + 1, n - 1}) {
    const Complex expected = direct(shape, world, k % n);
    if (k % n / shape.own() != world.rank()) continue;
    const double distance =
        std::abs(output[static_cast<std::size_t>(k % n % shape.own())] - expected);
    if (!(distance <= worst)) worst = distance;  // a NaN stays
  }
  if (!world.all(std::isfinite(worst))) return std::numeric_limits<double>::quiet_NaN();
  return world.maximum(worst) / (std::numeric_limits<double>::epsilon() * shape.log2_length() *
                                 std::sqrt(static_cast<double>(n)));
}

}  // namespace

void check_transform(const Shape& shape, const parallel::Communicator& world,
                     const std::vector<Complex>& output, const std::vector<Complex>& back,
                     const std::string& how, base::Checks& checks) {
  checks.at_most("residual of there and back" + how, residual(shape, world, back), 16.0,
                 "the benchmark's limit: max |x - x'| / (epsilon log2 N)");
  double before = 0.0;
  {
    const std::vector<Complex> values = own_input(shape, world.rank());
    before = energy(world, values.data(), shape.own());
  }
  const double after = energy(world, output.data(), shape.own());
  checks.relative("energy of the transform" + how, after / static_cast<double>(shape.length()),
                  before, 1e-13, "Parseval: sum |X|^2 = N sum |x|^2; rounding of each number");
  checks.at_most("distance from direct sums" + how, distance_from_sums(shape, world, output), 4.0,
                 "of five numbers, in units of epsilon log2 N sqrt(N)");
}

double energy(const parallel::Communicator& world, const Complex* values, std::int64_t count) {
  parallel::ExactSum sum;
  for (std::int64_t i = 0; i < count; ++i) sum.add(std::norm(values[i]));
  return parallel::exact_sum(world, sum);
}

}  // namespace hakaru::apps::mpi_fft
