#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <thread>

#include "native/base/aligned.hpp"
#include "native/base/atomic_file.hpp"
#include "native/base/caches.hpp"
#include "native/base/chain.hpp"
#include "native/base/checks.hpp"
#include "native/base/clock.hpp"
#include "native/base/parameters.hpp"
#include "native/base/phases.hpp"
#include "native/base/require.hpp"
#include "native/base/run_delay.hpp"
#include "native/base/samples.hpp"
#include "native/base/system.hpp"

namespace {

using namespace hakaru::base;

Description example() {
  Description d("example", "an example");
  d.integer("n", 8, 1, 100, "1", "count")
      .real("nu", 0.5, 0.0, 1.0, "m2/s", "viscosity")
      .choice("method", "put", {"put", "alltoall"}, "transposition")
      .boolean("fast", true, "hurry")
      .text("file", "", "a name")
      .preset("small", {{"n", 4}}, "quick")
      .phase("outer", PhaseKind::compute, "")
      .phase("inner", PhaseKind::communicate, "")
      .metric("rate", "flop/s", Better::higher, "")
      .table("rows", {{"a", "1"}, {"b", "s"}}, "");
  return d;
}

std::string message_of(const std::string& assignment) {
  const Description description = example();
  Parameters parameters(description);
  try {
    parameters.assign(assignment);
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "";
}

TEST(Caches, LoseNothingOfWhatLeavesThem) {
  std::vector<int> numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 1);
  leave_caches(numbers.data() + 3, 0);
  leave_caches(numbers.data() + 3, 20'001);  // neither ends where a line does
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<int>(i) + 1);
}

TEST(Chain, HasAsManyStepsAsTheTimeThatIsAskedFor) {
  Chain chain;
  const std::int64_t some = chain.steps(1e-6), more = chain.steps(1e-5);
  EXPECT_GT(some, 0);
  EXPECT_NEAR(static_cast<double>(more - 2), 10.0 * static_cast<double>(some - 2), 10.0);
  EXPECT_EQ(chain.steps(0.0), 0);
  EXPECT_GT(chain.run_s(some, 1), 0.0);
  EXPECT_EQ(chain.run_s(0, 100), 0.0);
}

TEST(Parameters, TakeDefaultsPresetsAndAssignments) {
  const Description description = example();
  Parameters parameters(description);
  EXPECT_EQ(parameters.integer("n"), 8);
  parameters.apply_preset("small");
  EXPECT_EQ(parameters.integer("n"), 4);
  parameters.assign("nu=0.25");
  parameters.assign("method=alltoall");
  parameters.assign("fast=false");
  parameters.assign("file=a=b");
  EXPECT_EQ(parameters.real("nu"), 0.25);
  EXPECT_EQ(parameters.text("method"), "alltoall");
  EXPECT_FALSE(parameters.boolean("fast"));
  EXPECT_EQ(parameters.text("file"), "a=b");
}

TEST(Parameters, RefuseBadInputInWords) {
  for (const char* bad :
       {"n=0", "n=101", "n=7.5", "n=", "n=abc", "n=99999999999999999999", "n=7x", "nu=nan",
        "nu=inf", "nu=-1", "nu=1e", "method=PUT", "fast=1", "unknown=1", "nonsense", "=3"})
    EXPECT_NE(message_of(bad), "") << bad;
  EXPECT_NE(message_of("metod=put").find("did you mean 'method'?"), std::string::npos);
  EXPECT_NE(message_of("n=0").find("from 1 to 100"), std::string::npos);
  const Description description = example();
  EXPECT_THROW(Parameters(description).apply_preset("large"), UserError);
}

void wait_at_least(double seconds) {
  for (const double start = now_s(); now_s() - start < seconds;) {
  }
}

TEST(Phases, TimeIsExclusive) {
  const auto description = example();
  Phases phases(description.phases());
  const double start = now_s();
  {
    auto outer = phases.scope("outer");
    wait_at_least(0.002);
    {
      auto inner = phases.scope("inner");
      wait_at_least(0.004);
    }
    wait_at_least(0.002);
  }
  const double whole = now_s() - start;
  EXPECT_GE(phases.seconds()[0], 0.004);
  EXPECT_GE(phases.seconds()[1], 0.004);
  // A nested phase is taken out of its outer one, so the sum cannot exceed what passed.
  EXPECT_LE(phases.seconds()[0] + phases.seconds()[1], whole);
  phases.reset();
  EXPECT_EQ(phases.seconds()[0], 0.0);
  EXPECT_THROW(phases.index("nowhere"), std::logic_error);
}

TEST(Phases, WhatAnObserverDoesBeforeAPhaseIsNotOfIt) {
  struct Slow final : PhaseObserver {
    void begin(const char*) override {
      const double start = now_s();
      while (now_s() - start < 0.02) {
      }
    }
    void end(const char*) override {}
  } slow;
  const auto description = example();
  Phases phases(description.phases());
  phases.tell(&slow);
  phases.enter(0);
  phases.leave();
  EXPECT_LT(phases.seconds()[0], 0.02);
}

TEST(Phases, TellsAnObserverWhatBeginsAndEndsProperlyNested) {
  struct Witness final : PhaseObserver {
    std::vector<std::string> seen;
    void begin(const char* name) override { seen.push_back(std::string("+") + name); }
    void end(const char* name) override { seen.push_back(std::string("-") + name); }
  } witness;
  const auto description = example();
  Phases phases(description.phases());
  phases.tell(&witness);
  const int outer = phases.index("outer"), inner = phases.index("inner");
  phases.enter(outer);
  phases.enter(inner);
  phases.enter_untold(outer);
  phases.leave();
  phases.leave();
  phases.enter_untold(inner);
  phases.leave();
  phases.leave();
  EXPECT_EQ(witness.seen, (std::vector<std::string>{"+outer", "+inner", "-inner", "-outer"}));
  EXPECT_GT(phases.seconds()[inner], 0.0);
  phases.tell(nullptr);
  phases.enter(outer);
  phases.leave();
  EXPECT_EQ(witness.seen.size(), 4u);
}

TEST(Checks, FailForWrongValuesAndForNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Checks none;
  EXPECT_FALSE(none.passed());
  Checks good;
  good.relative("r", 1.0 + 1e-9, 1.0, 1e-8, "");
  good.absolute("a", 1e-9, 0.0, 1e-8, "");
  good.at_most("m", 1.0, 1.0, "");
  good.at_least("l", 1.0, 1.0, "");
  good.equal("e", 2.0, 2.0, "");
  EXPECT_TRUE(good.passed());
  auto fails = [](auto add) {
    Checks checks;
    add(checks);
    return !checks.passed();
  };
  EXPECT_TRUE(fails([&](Checks& c) { c.relative("r", 1.1, 1.0, 1e-8, ""); }));
  EXPECT_TRUE(fails([&](Checks& c) { c.relative("r", nan, 1.0, 1e8, ""); }));
  EXPECT_TRUE(fails([&](Checks& c) { c.absolute("a", nan, 1.0, 1e8, ""); }));
  EXPECT_TRUE(fails([&](Checks& c) { c.at_most("m", nan, 1.0, ""); }));
  EXPECT_TRUE(fails([&](Checks& c) { c.at_least("l", nan, 1.0, ""); }));
  EXPECT_TRUE(fails([&](Checks& c) { c.equal("e", nan, nan, ""); }));
}

TEST(Samples, BelongToWhatIsDescribed) {
  const auto description = example();
  Metrics metrics(description.metrics());
  metrics.add("rate", 1.0);
  EXPECT_THROW(metrics.add("speed", 1.0), std::logic_error);
  Table table(description.tables()[0]);
  table.row({1, 2.0});
  EXPECT_THROW(table.row({1}), std::logic_error);
  EXPECT_EQ(table.to_json().at("rows").size(), 1u);
}

class AtomicFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("hakaru-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::size_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }
  std::filesystem::path folder_;
};

TEST_F(AtomicFile, IsWholeAndLeavesNothingElse) {
  const std::string path = folder_ / "record.json";
  write_file_atomically(path, "first");
  write_file_atomically(path, "second");
  EXPECT_EQ(read_file(path), "second");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, SaysWhyItCannotBeWritten) {
  EXPECT_THROW(write_file_atomically(folder_ / "none" / "record.json", "x"), UserError);
  EXPECT_THROW(require_writable(folder_), UserError);
  EXPECT_THROW(read_file(folder_ / "absent"), UserError);
}

TEST_F(AtomicFile, HardwareThreadsOfACoreCountOnce) {
  EXPECT_EQ(online_cores(folder_.string()), online_processors());
  for (const auto& [name, siblings] :
       {std::pair{"cpu0", "0,2\n"}, {"cpu2", "0,2\n"}, {"cpu1", "1\n"}}) {
    std::filesystem::create_directories(folder_ / name / "topology");
    write_file_atomically(folder_ / name / "topology/thread_siblings_list", siblings);
  }
  EXPECT_EQ(online_cores(folder_.string()), 2);
  EXPECT_LE(online_cores(), online_processors());
}

TEST(HostShare, IsWholeUntilAHostIsFull) {
  const std::int64_t processors = online_processors();
  EXPECT_EQ(host_share(1), 1.0);
  EXPECT_EQ(host_share(processors), 1.0);
  EXPECT_EQ(host_share(4 * processors), 0.25);
}

TEST_F(AtomicFile, FullDiskKeepsTheOldFile) {
  // /dev/full cannot be renamed over, so a limit on the file size plays the full disk.
  const std::string path = folder_ / "record.json";
  write_file_atomically(path, "old");
  auto write_too_much = [&] {
    rlimit limit{16, 16};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    try {
      write_file_atomically(path, std::string(1000, 'x'));
    } catch (const UserError& error) {
      std::fputs(error.what(), stderr);
      std::_Exit(error.code() == ExitCode::environment ? 7 : 8);
    }
    std::_Exit(9);
  };
  EXPECT_EXIT(write_too_much(), ::testing::ExitedWithCode(7), "cannot write");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(files(), 1u);
}

TEST(AlignedArray, IsAlignedZeroAndMovable) {
  AlignedArray<double> array(1000);
  EXPECT_EQ(reinterpret_cast<std::size_t>(array.data()) % (1u << 21), 0u);
  EXPECT_EQ(array[999], 0.0);
  AlignedArray<double> other = std::move(array);
  EXPECT_EQ(other.size(), 1000u);
  EXPECT_THROW(AlignedArray<double>(std::size_t{1} << 55), std::bad_alloc);
}

TEST(RunDelay, IsThatOfTheThreadThatWaitedLongestAndOfAll) {
  const auto tasks =
      std::filesystem::temp_directory_path() / ("run_delay_" + std::to_string(::getpid()));
  auto write = [&](const std::string& thread, const std::string& text) {
    std::filesystem::create_directories(tasks / thread);
    std::ofstream(tasks / thread / "schedstat") << text;
  };
  write("1", "500 1000000000 7\n");
  write("2", "500 3000000000 7\n");
  const RunDelay delay(tasks.string());
  EXPECT_EQ(delay.waited().all_s, 0.0);
  write("1", "900 1250000000 9\n");
  write("2", "900 3000000000 9\n");
  write("3", "900 125000000 9\n");
  EXPECT_DOUBLE_EQ(delay.waited().longest_s, 0.25);
  EXPECT_DOUBLE_EQ(delay.waited().all_s, 0.375);
  write("3", "no numbers\n");
  std::filesystem::remove_all(tasks);
  EXPECT_EQ(delay.waited().longest_s, 0.0);
}

TEST(RunDelay, SeesTwoThreadsOnOneProcessor) {
  if (!std::filesystem::exists("/proc/self/schedstat"))
    GTEST_SKIP() << "this kernel does not count run delays";
  const RunDelay delay;
  const double end = now_s() + 0.2;
  auto busy = [end] {
    while (now_s() < end) continue;
  };
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);  // which threads inherit
  std::thread other(busy);
  busy();
  other.join();
  sched_setaffinity(0, sizeof all, &all);
  EXPECT_GT(delay.waited().longest_s, 0.0);
  EXPECT_GE(delay.waited().all_s, delay.waited().longest_s);
}

TEST(Clock, TimestampsAreIso8601) {
  const std::string text = utc_timestamp();
  EXPECT_EQ(text.size(), 24u);
  EXPECT_EQ(text.back(), 'Z');
  EXPECT_GT(clock_resolution_s(), 0.0);
}

}  // namespace
