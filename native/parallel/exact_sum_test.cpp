#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "native/parallel/exact_reduction.hpp"
#include "native/parallel/test_main.hpp"

using hakaru::parallel::Communicator;
using hakaru::parallel::exact_sum;
using hakaru::parallel::exact_sums;
using hakaru::parallel::ExactImage;
using hakaru::parallel::ExactSum;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Random signs and magnitudes from 2^-300 to 2^300, and the negatives of all but the first.
std::vector<double> cancelling(int count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(-300, 300);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = std::ldexp(mantissa(random), exponent(random));
  for (int i = 1; i < count; ++i) values.push_back(-values[static_cast<std::size_t>(i)]);
  return values;
}

double sum_of(const std::vector<double>& values) {
  ExactSum sum;
  sum.add(values);
  return sum.value();
}

}  // namespace

TEST(ExactSum, LeavesWhatCancellationLeaves) {
  for (const int count : {1, 100, 5000}) {
    const auto values = cancelling(count);
    EXPECT_EQ(sum_of(values), values.front());
  }
}

TEST(ExactSum, HasOneImageInEveryOrder) {
  auto values = cancelling(3000);
  ExactSum first;
  first.add(values);
  std::mt19937_64 random(3);
  for (int turn = 0; turn < 20; ++turn) {
    std::shuffle(values.begin(), values.end(), random);
    ExactSum sum;
    for (const double value : values) sum.add(value);
    ASSERT_EQ(sum.image(), first.image());
  }
  values.back() = std::nextafter(values.back(), infinity);
  ExactSum other;
  other.add(values);
  EXPECT_NE(other.image(), first.image()) << "one changed bit of one summand must be seen";
}

TEST(ExactSum, CarriesWhenManyAreAdded) {
  ExactSum sum;
  for (int doubling = 0; doubling < 70; ++doubling) {  // 2^70 times the largest number
    if (doubling == 0) sum.add(std::numeric_limits<double>::max());
    sum.merge(ExactSum(sum));
  }
  EXPECT_EQ(sum.value(), infinity);
  ExactSum small;
  small.add(0x1p-1074);
  for (int doubling = 0; doubling < 60; ++doubling) small.merge(ExactSum(small));
  EXPECT_EQ(small.value(), 0x1p-1014);
}

TEST(ExactSum, SumsOverThreads) {
  const auto values = cancelling(4000);
  ExactSum sum;
#pragma omp parallel for num_threads(3) reduction(hakaru::parallel::exact : sum)
  for (std::size_t i = 0; i < values.size(); ++i) sum.add(values[i]);
  EXPECT_EQ(sum.value(), values.front());
}

TEST(ExactReduction, SumsOverRanksWhoeverHoldsWhat) {
  const auto world = Communicator::world();
  const auto values = cancelling(2000);
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<double> mine;  // in turn 0 the last rank holds all
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto owner =
          turn == 0 ? world.size() - 1 : static_cast<int>(i * turn / 3) % world.size();
      if (owner == world.rank()) mine.push_back(values[i]);
    }
    EXPECT_EQ(exact_sum(world, mine), values.front());
  }
}

TEST(ExactReduction, SumsElementsOfArraysAndComplexNumbers) {
  const auto world = Communicator::world();
  std::vector<ExactSum> sums(3);
  sums[0].add(world.rank() == 0 ? 1e300 : 1.0);
  sums[1].add(world.rank() % 2 == 0 ? 0.1 : -0.1);
  sums[2].add(world.rank() == world.size() - 1 ? infinity : 0.0);
  const auto totals = exact_sums(world, sums);
  EXPECT_EQ(totals[0], 1e300);
  EXPECT_EQ(totals[1], world.size() % 2 == 0 ? 0.0 : 0.1);
  EXPECT_EQ(totals[2], infinity);
  const auto z = exact_sum(world, std::complex<double>(world.rank(), -1.0));
  EXPECT_EQ(z, std::complex<double>(0.5 * world.size() * (world.size() - 1), -world.size()));
}

TEST(ExactReduction, IsAnOperationForOtherCalls) {
  const auto world = Communicator::world();
  ExactSum sum;
  sum.add(std::ldexp(1.0, world.rank() * 100));
  ExactImage mine = sum.image(), up_to{};
  HAKARU_MPI(MPI_Scan(&mine, &up_to, 1, hakaru::parallel::exact_sum_datatype(),
                      hakaru::parallel::exact_sum_operation(), world.handle()));
  EXPECT_EQ(up_to.value(), std::ldexp(1.0, world.rank() * 100));  // the rest is below its last bit
}

HAKARU_MPI_TEST_MAIN()
