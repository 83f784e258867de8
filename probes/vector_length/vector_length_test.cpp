#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "probes/vector_length/measurement.hpp"

namespace hakaru::probes::vector_length {
namespace {

base::PinnedTeam team_of(int threads) {
  auto processors = base::distinct_cores();
  processors.resize(std::min<std::size_t>(threads, processors.size()));
  return base::PinnedTeam(processors);
}

std::vector<Series> every_series() {
  std::vector<Series> all;
  for (Kernel kernel : all_kernels)
    for (Language language : all_languages)
      if (language == Language::cpp || !fortran_compiler().empty())
        for (Way way : {Way::one, Way::inner, Way::outer}) all.push_back({kernel, language, way});
  return all;
}

TEST(Kernels, AgreeWithLongDouble) {
  const base::PinnedTeam team = team_of(2);
  Sets sets = sets_for(team, 1003);
  for (const Series& series : every_series())
    for (std::int64_t n : {1, 2, 7, 31, 1003}) {
      fill(team, sets, n);
      const Sample found = run(team, series, sets, 2);
      EXPECT_LE(error(team, series, sets, found.total), 1.0)
          << name_of(series.kernel) << ' ' << name_of(series.language) << ' ' << n;
    }
}

TEST(Kernels, WhatNobodyWroteIsFound) {
  const base::PinnedTeam team = team_of(1);
  Sets sets = sets_for(team, 50);
  for (const Series& series : every_series()) {
    if (series.kernel == Kernel::daxpy) continue;
    fill(team, sets, 50);
    EXPECT_GT(error(team, series, sets, 0.0), 1.0) << name_of(series.kernel);
  }
}

TEST(Kernels, DamagedResultsAreFound) {
  const base::PinnedTeam team = team_of(2);
  Sets sets = sets_for(team, 99);
  for (const Series& series : every_series()) {
    fill(team, sets, 99);
    const Sample found = run(team, series, sets, 2);
    sets.front().y[50] = std::nextafter(sets.front().y[50], 9.0);
    sets.front().z[50] *= 1.0 + 1e-14;
    EXPECT_GT(error(team, series, sets, found.total * (1.0 + 1e-13)), 1.0)
        << name_of(series.kernel) << ' ' << name_of(series.way);
  }
}

TEST(Kernels, DaxpyAddsAndTakesAwayAgain) {
  const base::PinnedTeam team = team_of(2);
  Sets sets = sets_for(team, 99);
  for (const Series& series : every_series()) {
    if (series.kernel != Kernel::daxpy) continue;
    fill(team, sets, 99);
    EXPECT_EQ(error_of_daxpy(team, series.language, series.way, sets), 0.0);
    EXPECT_GT(error(team, series, sets, 0.0), 1.0) << "a pass too many is seen";
    EXPECT_GT(error_of_daxpy(team, series.language, series.way, sets), 1.0);
  }
}

TEST(Vectors, PlacesAreAPermutation) {
  Vectors v(1000);
  for (std::int64_t n : {1, 2, 999}) {
    v.fill(n);
    const std::set<std::int32_t> places(v.places.begin(), v.places.begin() + n);
    EXPECT_EQ(static_cast<std::int64_t>(places.size()), n);
    EXPECT_EQ(*places.rbegin(), n - 1);
  }
}

TEST(Samples, LastLongEnoughAndComeInPairs) {
  const base::PinnedTeam team = team_of(1);
  Sets sets = sets_for(team, 64);
  fill(team, sets, 64);
  std::int64_t passes = 2;
  const Sample found = sample(team, {Kernel::daxpy, Language::cpp, Way::one}, sets, 1e-4, passes);
  EXPECT_EQ(passes, found.passes);
  EXPECT_GE(found.seconds, 1e-4);
  EXPECT_EQ(found.passes % 2, 0);
}

}  // namespace
}  // namespace hakaru::probes::vector_length
