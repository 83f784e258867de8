#include "probes/memory_bandwidth/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "probes/memory_bandwidth/indexed.hpp"
#include "probes/memory_bandwidth/plan.hpp"
#include "probes/memory_bandwidth/stream.hpp"
#include "probes/memory_bandwidth/sweep.hpp"

namespace {

namespace base = hakaru::base;
using namespace hakaru::probes::memory_bandwidth;
using hakaru::base::Pages;

constexpr double untouched = -7.0;

struct Arrays : StreamArrays {
  explicit Arrays(std::size_t count) : StreamArrays(count + 8, Pages::base), count(count) {
    for (std::size_t i = 0; i < size(); ++i) {
      a[i] = i < count ? 1.0 + 0.5 * static_cast<double>(i) : untouched;
      b[i] = i < count ? 2.0 - 0.25 * static_cast<double>(i) : untouched;
      c[i] = i < count ? 3.0 + 0.125 * static_cast<double>(i) : untouched;
    }
  }
  double run(Kernel kernel) { return run_kernel(kernel, a.data(), b.data(), c.data(), count); }
  std::size_t count;
};

const std::size_t counts[] = {0, 1, 2, 7, 8, 9, 31, 64, 100, 1000, 4099};

template <typename Formula>
void expect_writes(Kernel kernel, hakaru::base::AlignedArray<double> StreamArrays::*target,
                   Formula formula) {
  for (const std::size_t count : counts) {
    Arrays before(count), after(count);
    after.run(kernel);
    for (std::size_t i = 0; i < after.size(); ++i) {
      const double wanted = i < count ? formula(before.a[i], before.b[i], before.c[i]) : untouched;
      EXPECT_DOUBLE_EQ((after.*target)[i], wanted) << name_of(kernel) << ' ' << count << ' ' << i;
      for (auto array : {&StreamArrays::a, &StreamArrays::b, &StreamArrays::c})
        if (array != target) {
          EXPECT_EQ((after.*array)[i], (before.*array)[i]);
        }
    }
  }
}

TEST(Kernels, WriteTheirFormulaAndNothingElse) {
  expect_writes(Kernel::copy, &StreamArrays::c, [](double a, double, double) { return a; });
  expect_writes(Kernel::scale, &StreamArrays::b,
                [](double, double, double c) { return scalar * c; });
  expect_writes(Kernel::add, &StreamArrays::c, [](double a, double b, double) { return a + b; });
  expect_writes(Kernel::triad, &StreamArrays::a,
                [](double, double b, double c) { return b + scalar * c; });
  expect_writes(Kernel::triad_nontemporal, &StreamArrays::b,
                [](double a, double, double c) { return c + scalar * a; });
}

TEST(Kernels, ReadSumsEveryElementOnce) {
  for (const std::size_t count : counts) {
    Arrays arrays(count);
    const auto n = static_cast<double>(count);
    EXPECT_DOUBLE_EQ(arrays.run(Kernel::read), n + 0.25 * n * (n - 1.0));
  }
}

TEST(Kernels, CountBytesAsStreamDoes) {
  EXPECT_EQ(traffic(Kernel::copy).bytes, 16.0);
  EXPECT_EQ(traffic(Kernel::scale).bytes, 16.0);
  EXPECT_EQ(traffic(Kernel::add).bytes, 24.0);
  EXPECT_EQ(traffic(Kernel::triad).bytes, 24.0);
  for (const Kernel kernel : all_kernels) {
    const bool allocates = kernel != Kernel::read && kernel != Kernel::triad_nontemporal;
    EXPECT_EQ(traffic(kernel).bytes_write_allocate - traffic(kernel).bytes, allocates ? 8.0 : 0.0);
  }
}

TEST(Stream, PartsCoverAllElementsOnceAndAreAligned) {
  for (const std::size_t elements : {1u, 7u, 8u, 100u, 4099u, 300007u})
    for (const int threads : {1, 2, 3, 5, 64}) {
      std::size_t next = 0;
      for (int thread = 0; thread < threads; ++thread) {
        const Part part = part_of(thread, threads, elements);
        EXPECT_EQ(part.begin, next);
        EXPECT_EQ(part.begin % alignment_elements, 0u);
        next += part.count;
      }
      EXPECT_EQ(next, elements);
    }
}

TEST(Stream, RecurrenceKeepsItsSize) {
  EXPECT_NEAR(expected_after(1).a, 1.0, 1e-14);
  EXPECT_NEAR(expected_after(200).a, 1.0, 1e-12);
  const Expected one = expected_after(1);
  EXPECT_NEAR(one.c, 1.0 + scalar, 1e-15);
  EXPECT_NEAR(one.b, one.c + scalar * one.a, 1e-15);
}

class StreamRun : public testing::Test {
 protected:
  static constexpr int runs = 12;
  StreamRun() : team(base::distinct_cores()), arrays(50'001, Pages::base) {
    first_touch(team, arrays);
    result = run_stream(team, arrays, runs);
  }
  StreamErrors errors() { return errors_of(arrays, result, runs); }
  base::PinnedTeam team;
  StreamArrays arrays;
  StreamResult result;
};

TEST_F(StreamRun, GivesASampleOfEachKernelInEachRun) {
  EXPECT_EQ(result.samples.size(), runs * all_kernels.size());
  for (const auto& sample : result.samples) EXPECT_GT(sample.seconds, 0.0);
}

TEST_F(StreamRun, AgreesWithTheRecurrence) {
  EXPECT_LE(errors().average, 1e-13);
  EXPECT_LE(errors().largest, 1e-12);
  EXPECT_LE(errors().read, errors().read_bound);
}

TEST_F(StreamRun, DamageIsSeen) {
  for (auto array : {&StreamArrays::a, &StreamArrays::b, &StreamArrays::c}) {
    double& element = (arrays.*array)[12'345];
    const double saved = element;
    element = saved * (1.0 + 1e-6);
    EXPECT_GT(errors().average, 1e-13);
    EXPECT_GT(errors().largest, 1e-12);
    element = std::nan("");
    EXPECT_FALSE(errors().average <= 1e-13);
    EXPECT_FALSE(errors().largest <= 1e-12);
    element = saved;
  }
  EXPECT_LE(errors().average, 1e-13);
  result.sums[3] *= 1.0 + 1e-6;
  EXPECT_GT(errors().read, errors().read_bound);
}

TEST_F(StreamRun, ThreadsAreOnDistinctProcessors) {
  EXPECT_TRUE(team.in_place());
  const std::set<int> seen(team.seen().begin(), team.seen().end());
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(team.size()));
}

TEST(Sweep, ShapesFillTheWorkingSet) {
  for (const std::int64_t working_set : {8192, 11585, 100'000, 50'000'000}) {
    const SweepShape shape = sweep_shape(working_set, 1 << 25);
    EXPECT_LE(shape.elements * 24, working_set);
    EXPECT_GT(shape.elements * 24, working_set - 8 * 24);
    EXPECT_GE(shape.passes, 1);
    EXPECT_LE(shape.passes * shape.elements * 24, std::max<std::int64_t>(1 << 25, working_set));
  }
}

TEST(Sweep, ComputesTriadOnEachWorkingSet) {
  base::PinnedTeam team(base::distinct_cores());
  const SweepResult result = run_sweep(team, {8192, 12'288, 1'000'000}, 1 << 16, 2, Pages::base);
  EXPECT_EQ(result.wrong, 0.0);
  EXPECT_EQ(result.samples.size(), 6u);
  for (const auto& sample : result.samples) EXPECT_GT(sample.seconds, 0.0);
}

TEST(Sweep, DamageIsSeen) {
  base::PinnedTeam team(base::distinct_cores());
  const std::vector<std::int64_t> sets = {8192, 12'288, 1'000'000};
  EXPECT_EQ(run_sweep(team, sets, 1 << 16, 2, Pages::base, true).wrong, 3.0);
  const auto shapes = static_cast<double>(sets.size() * std::size(indexed_rows));
  EXPECT_EQ(run_indexed(team, sets, 1 << 16, 2, Pages::base, true).wrong, shapes);
}

TEST(Indexed, ShapesFillTheWorkingSet) {
  for (const std::int64_t row : indexed_rows)
    for (const std::int64_t working_set : {1, 100'000, 50'000'000}) {
      const IndexedShape shape = indexed_shape(working_set, row, 1 << 25);
      const double of_row = static_cast<double>(12 * row + 16);
      EXPECT_LE(shape.bytes(), std::max<double>(working_set, of_row));
      EXPECT_GT(shape.bytes(), working_set - of_row);
      EXPECT_GE(shape.passes, 1);
    }
}

TEST(Indexed, ComputesProductsOnEachWorkingSet) {
  base::PinnedTeam team(base::distinct_cores());
  const IndexedResult result = run_indexed(team, {1, 65'536, 1'000'000}, 1 << 16, 2, Pages::base);
  EXPECT_EQ(result.wrong, 0.0);
  EXPECT_EQ(result.samples.size(), 2u * 3u * std::size(indexed_rows));
  for (const auto& sample : result.samples) EXPECT_GT(sample.seconds, 0.0);
}

TEST(Plan, ArraySizeFollowsTheRuleAndSaysWhenItIsCapped) {
  constexpr std::int64_t mib = 1 << 20;
  EXPECT_EQ(choose_array_size(0, 32 * mib, 512 * mib, 4096 * mib).bytes, 128 * mib);
  EXPECT_EQ(choose_array_size(0, 32 * mib, 512 * mib, 4096 * mib).reason_capped, "");
  EXPECT_EQ(choose_array_size(64 * mib, 32 * mib, 512 * mib, 4096 * mib).bytes, 64 * mib);
  const ArraySize capped = choose_array_size(0, 256 * mib, 512 * mib, 4096 * mib);
  EXPECT_EQ(capped.bytes, 512 * mib);
  EXPECT_EQ(capped.by_rule, 1024 * mib);
  EXPECT_NE(capped.reason_capped.find("maximum_array_bytes"), std::string::npos);
  EXPECT_NE(choose_array_size(0, 32 * mib, 512 * mib, 16 * mib).reason_capped.find("free memory"),
            std::string::npos);
  EXPECT_GT(choose_array_size(0, 0, 512 * mib, 4096 * mib).bytes, 0);
}

}  // namespace
