#include "native/base/blas_kernel.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace hakaru::base;

std::optional<int> chosen(const Processor& processor, const std::vector<std::string>& names) {
  return better_kernel(processor, [&](int number) { return names.at(number); });
}

const std::vector<std::string> old{"skx", "knl", "haswell", "zen3", "zen2", "generic"};
constexpr int zen3 = 0x19, zen5 = 0x1a;

TEST(BlasKernel, AProcessorThatBlisDoesNotKnowGetsVectors) {
  EXPECT_EQ(chosen({"AuthenticAMD", zen5, true}, old), 3);
}

TEST(BlasKernel, WideVectorsWhereTheProcessorHasThem) {
  EXPECT_EQ(chosen({"AuthenticAMD", zen5, true, true}, old), 0);
  EXPECT_EQ(chosen({"GenuineIntel", 6, true, true, "Intel(R) Xeon(R) Processor"}, old), 0);
  EXPECT_FALSE(chosen({"GenuineIntel", 6, true, true, "Intel(R) Xeon(R) Gold 6148"}, old));
  EXPECT_FALSE(chosen({"GenuineIntel", 6, true, false, "Intel(R) Xeon(R) Processor"}, old));
  EXPECT_FALSE(chosen({"GenuineIntel", 6, true, true, ""}, {"haswell", "generic"}));
}

TEST(BlasKernel, BlisChoosesWhereItKnowsTheProcessor) {
  EXPECT_FALSE(chosen({"AuthenticAMD", zen3, true}, old));
  EXPECT_FALSE(chosen({"GenuineIntel", 6, true}, old));
  EXPECT_FALSE(chosen({"", 0, false}, old));
}

TEST(BlasKernel, NoVectorsThatTheProcessorHasNot) {
  EXPECT_FALSE(chosen({"AuthenticAMD", zen5, false}, old));
}

TEST(BlasKernel, ABlisThatKnowsNewerOnesChoosesItself) {
  EXPECT_FALSE(chosen({"AuthenticAMD", zen5, true}, {"skx", "zen5", "zen4", "generic"}));
}

TEST(BlasKernel, ABlisWithoutTheKernelIsLeftAlone) {
  EXPECT_FALSE(chosen({"AuthenticAMD", zen5, true}, {"haswell", "generic"}));
}

}  // namespace
