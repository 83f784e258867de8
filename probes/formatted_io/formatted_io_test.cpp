#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "probes/formatted_io/place.hpp"
#include "probes/formatted_io/steps.hpp"
#include "probes/formatted_io/text.hpp"
#include "probes/formatted_io/verification.hpp"
#include "probes/formatted_io/ways.hpp"

namespace hakaru::probes::formatted_io {
namespace {

bool is_here(Way way) { return !is_fortran(way) || !fortran_compiler().empty(); }

std::string field(const Decimal& decimal, Notation notation) {
  std::string text(text_width, '?');
  put(text.data(), decimal, notation);
  return text;
}

TEST(Text, HasThePublishedBytes) {
  EXPECT_EQ(text_bytes(Type::integer4, 7'500'000), 75'750'000);
  EXPECT_EQ(text_bytes(Type::real4, 7'500'000), 181'875'000);
  EXPECT_EQ(text_bytes(Type::real8, 7'500'000), 181'875'000);
  EXPECT_EQ(text_bytes(Type::complex8, 7'500'000), 363'750'000);
  EXPECT_EQ(text_bytes(Type::complex16, 7'500'000), 363'750'000);
  EXPECT_EQ(text_bytes(Type::real8, 5), 5 * 24 + 2);
}

TEST(Text, IsWrittenAsEachLanguageDoes) {
  const Decimal decimal{true, 123456789012345, 1};  // -1.23456789012345
  EXPECT_EQ(field(decimal, Notation::fortran), "  -0.123456789012345D+01");
  EXPECT_EQ(field(decimal, Notation::c), "   -1.23456789012345E+00");
  EXPECT_EQ(field({false, 100000000000000, -6}, Notation::small), "    1.00000000000000e-07");
}

TEST(Values, AreTheirDecimals) {
  for (std::int64_t i = 0; i < 2000; ++i) {
    const Decimal one = decimal_double(9, i), other = decimal_single(9, i);
    for (const Decimal& decimal : {one, other}) {
      EXPECT_GE(decimal.digits, 100'000'000'000'000u);
      EXPECT_LT(decimal.digits, 1'000'000'000'000'000u);
    }
    const double value = static_cast<double>(other.digits) * std::pow(10.0, other.exponent - 15);
    EXPECT_NEAR(static_cast<float>(value) / value, 1.0, 1e-15) << "a float is its decimal exactly";
    EXPECT_LT(std::abs(integer_at(9, i)), 100'000'000);
  }
}

class Ways : public ::testing::TestWithParam<Way> {
 protected:
  Folder folder_{::testing::TempDir()};
};

TEST_P(Ways, WriteEveryByteAndGiveEveryValueBack) {
  if (!is_here(GetParam())) return;
  for (Type type : all_types)
    for (std::int64_t count : {1, 4, 9, 40, 41, 999}) {
      const std::string path = folder_.path() + "/file";
      const Items items(type, count, Values::decimal, 7);
      const Watch watch = write(GetParam(), items, path);
      EXPECT_GE(watch.library_s(), 0.0);
      EXPECT_EQ(wrong(GetParam(), items, path), 0) << name_of(type) << ' ' << count;
      if (!about(GetParam()).reads) continue;
      Items back(type, count);
      read(GetParam(), back, path);
      EXPECT_EQ(differing(items, back), 0) << name_of(type) << ' ' << count;
    }
}

TEST_P(Ways, TakeAnyBuffer) {
  if (!about(GetParam()).takes_buffer) return;
  const std::string path = folder_.path() + "/file";
  for (std::int64_t buffer : {100, 128, 4096, 1 << 20}) {
    const Items items(Type::real8, 5001, Values::decimal, 7);
    write(GetParam(), items, path, buffer);
    EXPECT_EQ(wrong(GetParam(), items, path), 0) << buffer;
    if (!about(GetParam()).reads) continue;
    Items back(Type::real8, 5001);
    read(GetParam(), back, path, buffer);
    EXPECT_EQ(differing(items, back), 0) << buffer;
  }
}

TEST_P(Ways, DamageIsFound) {
  if (!is_here(GetParam())) return;
  for (Type type : all_types)
    for (bool damage : {false, true}) {
      Found found;
      verify_way(GetParam(), type, folder_.path(), damage, found);
      base::Checks checks;
      found.add_to(checks);
      EXPECT_EQ(checks.passed(), !damage) << name_of(type);
    }
}

TEST_P(Ways, WhatIsMissingOrTooMuchIsFound) {
  if (!is_here(GetParam())) return;
  const std::string path = folder_.path() + "/file";
  const Items items(Type::real8, 99, Values::decimal, 7);
  write(GetParam(), items, path);
  const auto bytes = std::filesystem::file_size(path);
  std::ofstream(path, std::ios::app) << "1";
  EXPECT_EQ(wrong(GetParam(), items, path), 1);
  std::filesystem::resize_file(path, bytes - 3);
  EXPECT_EQ(wrong(GetParam(), items, path), 3);
  if (!about(GetParam()).reads) return;
  std::filesystem::resize_file(path, bytes / 2);
  Items back(Type::real8, 99);
  EXPECT_THROW(read(GetParam(), back, path), Unavailable);
}

TEST_P(Ways, AFileThatCannotBeMadeIsTold) {
  const Items items(Type::real8, 9, Values::decimal, 7);
  EXPECT_THROW(write(GetParam(), items, folder_.path() + "/none/file"), Unavailable);
}

TEST_P(Ways, AFullDiskIsTold) {
  const Items items(Type::real8, 9, Values::decimal, 7);
  EXPECT_THROW(write(GetParam(), items, "/dev/full"), Unavailable);
}

TEST_P(Ways, KeepFifteenDigitsOfAnyDoubleAndFloatsWhole) {
  if (!is_here(GetParam()) || !about(GetParam()).reads || !about(GetParam()).formatted) return;
  const Returned doubles = returned(GetParam(), Type::real8, 5000, folder_.path());
  EXPECT_GT(doubles.differing, 1000);
  EXPECT_GT(doubles.rounding, 0.4e-15);
  EXPECT_LE(doubles.rounding, 0.5e-15 + 0x1p-53);
  EXPECT_EQ(returned(GetParam(), Type::real4, 5000, folder_.path()).differing, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Ways, ::testing::ValuesIn(all_ways));

TEST(Checks, RoundingsAndNumbersThatAreNoneFail) {
  const Items items(Type::real8, 10, Values::full, 1);
  Items other(Type::real8, 10, Values::full, 1);
  other.visit([](auto* x) { x[3] *= 1 + 1e-14; });
  EXPECT_GT(largest_rounding(items, other), 1e-15);
  other.visit([](auto* x) { x[3] = std::numeric_limits<std::decay_t<decltype(*x)>>::quiet_NaN(); });
  EXPECT_EQ(largest_rounding(items, other), std::numeric_limits<double>::infinity());
  base::Checks none;
  Found().add_to(none);
  EXPECT_FALSE(none.passed()) << "nothing looked at is nothing verified";
}

TEST(Steps, GiveTheSameTextAndNumbers) {
  const Folder folder{::testing::TempDir()};
  const Items items(Type::real8, 1001, Values::decimal, 7);
  std::int64_t wrong = 0;
  EXPECT_EQ(conversions(items, wrong).size(), 5u);
  EXPECT_EQ(wrong, 0);
  if (fortran_compiler().empty()) return;
  const auto steps = fortran_steps(items, folder.path(), wrong);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(steps.size(), 8u);
  EXPECT_EQ(steps.front().bytes, text_bytes(Type::real8, 1001));
}

TEST(Steps, AnotherTextIsSeen) {
  const Items items(Type::real8, 100, Values::full, 7);  // not of 15 digits
  std::int64_t wrong = 0;
  conversions(items, wrong);
  EXPECT_GT(wrong, 300);
}

TEST(Places, AreNamedOrTold) {
  EXPECT_THROW(file_system_of("/nowhere/at/all"), Unavailable);
  EXPECT_THROW(Folder("/proc"), Unavailable);
  std::string path;
  {
    const Folder folder{::testing::TempDir()};
    path = folder.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
    try {
      const LoopMount loop(path, 16 << 20);
      EXPECT_EQ(file_system_of(loop.path()).name, "ext4");
      EXPECT_FALSE(std::filesystem::exists(path + "/loop.image"));
    } catch (const Unavailable& why) {
      EXPECT_FALSE(std::string(why.what()).empty());
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace hakaru::probes::formatted_io
