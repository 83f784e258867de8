#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "probes/reduction/methods.hpp"

namespace hakaru::probes::reduction {
namespace {

TEST(Methods, AgreeWhereNothingIsRounded) {
  std::vector<double> values;
  for (int i = 1; i <= 1000; ++i) values.push_back(i % 3 == 0 ? -i : i);
  for (const Method method : methods) {
    const double sum = sum_of(method, values);
    EXPECT_EQ(sum, 500500.0 - 2.0 * 166833.0) << name_of(method);
    EXPECT_EQ(right_bits(sum, values), most_bits);
  }
  for (const Method method : methods) EXPECT_EQ(sum_of(method, {}), 0.0);
}

TEST(Methods, LoseWhatTheyAreKnownToLose) {
  const std::vector<double> values = {1.0, 0x1p-60, 0x1p-60, -1.0};
  EXPECT_EQ(sum_of(Method::exact, values), 0x1p-59);
  EXPECT_EQ(sum_of(Method::one_pass, values), 0x1p-59) << "81 bits are kept";
  EXPECT_EQ(sum_of(Method::compensated, values), 0x1p-59);
  EXPECT_EQ(sum_of(Method::two_pass, values), 0.0) << "60 binades below the last bit kept";
  EXPECT_EQ(sum_of(Method::plain, values), 0.0);
  const std::vector<double> negative = {1.0, -0x1p-60};
  EXPECT_EQ(sum_of(Method::two_pass, negative), 1.0 - 0x1p-52) << "cut towards minus infinity";
}

// |error| of cut operands: N units of the largest's last bit at most, so log2 |s| / (N 2^(e - 52)).
TEST(Methods, TwoPassKeepsItsBound) {
  for (const std::int64_t count : {2048, 16384}) {
    const auto values = random_operands({count, 0, true}, 5);
    const double sum = sum_of(Method::two_pass, values);
    EXPECT_GE(right_bits(sum, values), 53.0 - std::log2(2.0 * static_cast<double>(count)) + 10.0);
    EXPECT_GE(right_bits(sum_of(Method::one_pass, values), values), 53.0);
  }
}

TEST(Bits, SayHowWrongASumIs) {
  const std::vector<double> values = {3.0, 5.0};
  EXPECT_EQ(right_bits(8.0, values), most_bits);
  EXPECT_EQ(right_bits(8.0 + 0x1p-7, values), 10.0);
  EXPECT_EQ(right_bits(0.0, values), 0.0);
  EXPECT_EQ(right_bits(NAN, values), 0.0);
  EXPECT_EQ(right_bits(1.0, std::vector<double>{1.0, -1.0}), 0.0);
}

TEST(Operands, HaveSignsAndBinadesAsAsked) {
  int negative = 0;
  for (const double value : random_operands({1000, 0, false}, 1)) {
    negative += value < 0.0;
    EXPECT_TRUE(std::abs(value) > 0.0 && std::abs(value) < 1.0);
  }
  EXPECT_TRUE(negative > 400 && negative < 600);
  double smallest = 1.0;
  for (const double value : random_operands({1000, 100, true}, 1)) {
    EXPECT_GT(value, 0.0);
    smallest = std::min(smallest, value);
  }
  EXPECT_LT(smallest, 0x1p-90);
  EXPECT_EQ(random_operands({10, 3, false}, 4), random_operands({10, 3, false}, 4));
  EXPECT_NE(random_operands({10, 3, false}, 4), random_operands({10, 3, false}, 5));
}

}  // namespace
}  // namespace hakaru::probes::reduction
