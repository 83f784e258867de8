#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "native/base/cores.hpp"
#include "native/base/require.hpp"
#include "probes/arithmetic/kernels.hpp"
#include "probes/arithmetic/matrix_product.hpp"
#include "probes/arithmetic/measurement.hpp"
#include "probes/arithmetic/reference.hpp"

namespace hakaru::probes::arithmetic {
namespace {

base::PinnedTeam team_of(int threads) {
  auto processors = base::distinct_cores();
  processors.resize(std::min<std::size_t>(threads, processors.size()));
  return base::PinnedTeam(processors);
}

std::vector<Series> every_series() {
  std::vector<Series> all;
  for (Precision precision : {Precision::double_precision, Precision::single_precision})
    for (int bits : widths(precision)) {
      for (Kernel kernel : chain_kernels)
        for (bool dependent : {false, true}) all.push_back({kernel, precision, bits, dependent});
      for (Kernel kernel : map_kernels) all.push_back({kernel, precision, bits});
    }
  return all;
}

TEST(Kernels, AgreeWithTheirClosedForms) {
  const base::PinnedTeam team = team_of(2);
  for (const Series& series : every_series())
    for (std::int64_t iterations : {1, 3, 16, 99})
      for (bool lasting : {false, true}) {
        const Sample sample = run_series(team, series, iterations, lasting, false);
        EXPECT_LE(sample.error, sample.tolerance)
            << name_of(series.kernel) << ' ' << name_of(series.precision) << ' ' << series.bits
            << ' ' << iterations;
      }
}

TEST(Kernels, DamagedResultsAreFound) {
  const base::PinnedTeam team = team_of(1);
  for (const Series& series : every_series()) {
    const Sample sample = run_series(team, series, 17, false, true);
    EXPECT_GT(sample.error, sample.tolerance) << name_of(series.kernel) << ' ' << series.bits;
  }
}

TEST(Kernels, OneStepTooFewIsFound) {
  for (Kernel kernel : chain_kernels)
    for (std::int64_t iterations : {1, 4, 9}) {
      const auto operands = telling_operands<double>(kernel);
      const auto first = first_values(kernel, 8, operands);
      auto values = first;
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(
            chain_value(kernel, first[i], iterations - 1, operands.a, operands.b));
      EXPECT_GT(chain_error(kernel, first, values, iterations, operands),
                chain_tolerance<double>(kernel, iterations, false))
          << name_of(kernel);
    }
}

TEST(Kernels, OperationsAreCounted) {
  const base::PinnedTeam team = team_of(2);
  const int bits = widths(Precision::double_precision).back();
  const double numbers = independent_chains() * lanes<double>(bits);
  EXPECT_EQ(run_series(team, {Kernel::fma, Precision::double_precision, bits}, 10, true, false)
                .operations,
            2.0 * 10.0 * numbers * team.size());
  EXPECT_EQ(
      run_series(team, {Kernel::fma, Precision::double_precision, bits, true}, 10, true, false)
          .operations,
      10.0 * team.size());
  EXPECT_EQ(run_series(team, {Kernel::polynomial, Precision::single_precision, 32}, 3, true, false)
                .operations,
            2.0 * polynomial_degree * 3.0 * map_count * team.size());
}

TEST(Reference, NotANumberNeverPasses) {
  const auto operands = lasting_operands<double>(Kernel::add);
  const auto first = first_values(Kernel::add, 4, operands);
  auto values = first;
  values[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(chain_error(Kernel::add, first, values, 2, operands),
            std::numeric_limits<double>::infinity());
}

TEST(Reference, LinearChainIsItsRecurrence) {
  long double x = 1.25L;
  for (int i = 0; i < 30; ++i) x = 0.9L * x + 0.7L;
  EXPECT_NEAR(static_cast<double>(chain_value(Kernel::fma, 1.25L, 30, 0.9L, 0.7L) / x), 1.0, 1e-17);
}

TEST(Reference, RootChainReachesItsFixedPoint) {
  const long double fixed = chain_value(Kernel::square_root, 1.5L, 100000, 1.7L, 0.0L);
  EXPECT_NEAR(static_cast<double>(fixed * fixed - fixed), 1.7, 1e-15);
  EXPECT_NEAR(static_cast<double>(chain_value(Kernel::square_root, 1.5L, 150, 1.7L, 0.0L) / fixed),
              1.0, 1e-17);
}

TEST(ClockChain, IsReversible) {
  constexpr std::uint64_t a = 0x123456789abcdef1, b = 0xfedcba9876543211;
  for (std::int64_t iterations : {0, 1, 15, 16, 17, 1000}) {
    std::uint64_t x = run_clock_chain(42, a, b, iterations);
    for (std::int64_t i = 0; i < iterations; ++i) x = (x - b) ^ a;
    EXPECT_EQ(x, 42u);
  }
  EXPECT_NE(run_clock_chain(42, a, b, 1000), run_clock_chain(42, a, b, 1001));
}

TEST(MatrixProduct, IsExactAtAwkwardOrders) {
  MatrixProduct product(131);
  for (std::int64_t order : {1, 2, 17, 64, 131}) {
    product.set_order(order);
    product.multiply();
    EXPECT_EQ(product.wrong(200), 0) << order;
    EXPECT_EQ(product.flops(), 2.0 * static_cast<double>(order * order * order));
  }
}

TEST(MatrixProduct, AnyWrongElementIsFound) {
  MatrixProduct product(40);
  for (std::int64_t element : {0, 39, 40, 777, 1599}) {
    product.multiply();
    product.product()[element] += 1.0;
    EXPECT_GT(product.wrong(0), 0) << element;
  }
  product.multiply();
  product.product()[5] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GT(product.wrong(0), 0);
}

TEST(MatrixProduct, TheBlasIsNamed) {
  EXPECT_NE(blas_identity().library.find("lib"), std::string::npos);
}

TEST(Cores, AreDistinctAndAllowed) {
  const auto cores = base::distinct_cores();
  ASSERT_FALSE(cores.empty());
  EXPECT_EQ(std::set<int>(cores.begin(), cores.end()).size(), cores.size());
  const base::ProcessorMask allowed = base::allowed_processors();
  for (int processor : cores) EXPECT_TRUE(allowed.contains(processor));
}

TEST(Cores, AConfinedProcessHasOne) {
  const base::ProcessorMask before = base::ProcessorMask::of_this_thread();
  const auto cores = base::distinct_cores();
  base::ProcessorMask one;
  one.add(cores.back());
  ASSERT_TRUE(one.confine_this_thread());
  EXPECT_EQ(base::distinct_cores(), std::vector<int>{cores.back()});
  before.confine_this_thread();
}

TEST(Cores, CountsAreSpread) {
  EXPECT_EQ(base::spread_counts(1), (std::vector<int>{1}));
  EXPECT_EQ(base::spread_counts(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(base::spread_counts(4), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(base::spread_counts(20), (std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 20}));
}

TEST(PinnedTeam, PinsAndReleases) {
  const auto cores = base::distinct_cores();
  {
    base::PinnedTeam team(cores);
    EXPECT_TRUE(team.in_place());
    EXPECT_EQ(team.seen(), cores);
  }
  const base::ProcessorMask after = base::ProcessorMask::of_this_thread();
  for (int processor : cores) EXPECT_TRUE(after.contains(processor));
}

TEST(PinnedTeam, RefusesAProcessorThatDoesNotExist) {
  EXPECT_THROW(base::PinnedTeam({base::ProcessorMask::most - 1}), base::UserError);
}

}  // namespace
}  // namespace hakaru::probes::arithmetic
