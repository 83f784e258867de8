#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "native/base/atomic_file.hpp"
#include "native/base/handover.hpp"
#include "native/base/require.hpp"
#include "native/harness/binding.hpp"
#include "native/harness/cold_caches.hpp"
#include "native/harness/command_line.hpp"
#include "native/harness/help.hpp"
#include "native/harness/ranks.hpp"
#include "native/harness/record.hpp"
#include "native/harness/schedule_command.hpp"
#include "native/harness/termination.hpp"

// What the leaf would define.
std::string hakaru::harness::kind_of_program() { return "app"; }

namespace {

using namespace hakaru;
using harness::BindingReport;

base::Description example() {
  base::Description d("example", "an example");
  d.integer("n", 8, 1, 100, "1", "count")
      .integer("steps", 8, 1, 100, "1", "count")
      .preset("small", {{"n", 4}, {"steps", 2}}, "quick")
      .preset("wide", {{"n", 90}}, "wider")
      .preset("long", {{"steps", 90}}, "ten minutes", 7)
      .verifies({"n"}, "what is asked for")
      .phase("work", base::PhaseKind::compute, "all of it");
  return d;
}

harness::CommandLine parse(const std::vector<std::string>& words) {
  static const base::Description description = example();
  return harness::parse_command_line(description, words);
}

TEST(CommandLine, AppliesPresetBeforeAssignments) {
  const auto line =
      parse({"run", "n=7", "--preset", "small", "--threads", "3", "--record", "r.json"});
  EXPECT_EQ(line.command, harness::Command::run);
  EXPECT_EQ(line.parameters.integer("n"), 7);
  EXPECT_EQ(line.threads, 3);
  EXPECT_EQ(line.record_file, "r.json");
  EXPECT_EQ(parse({"run", "--preset", "small"}).parameters.integer("n"), 4);
  EXPECT_EQ(parse({}).command, harness::Command::help);
}

TEST(CommandLine, RefusesWhatItDoesNotUnderstand) {
  const std::vector<std::vector<std::string>> bad{{"fly"},
                                                  {"run", "--speed"},
                                                  {"run", "--threads"},
                                                  {"run", "--threads", "0"},
                                                  {"run", "--threads", "2.5"},
                                                  {"run", "--ranks", "2"},
                                                  {"run", "--damage"},
                                                  {"run", "n"},
                                                  {"run", "m=1"},
                                                  {"run", "--preset", "huge"},
                                                  {"run", "--warmup", "-1"}};
  for (const auto& words : bad) EXPECT_THROW(parse(words), base::UserError) << words.back();
}

TEST(CommandLine, RefusesASecondValueOfAParameter) {
  EXPECT_THROW(parse({"run", "n=7", "n=8"}), base::UserError);
  EXPECT_THROW(parse({"run", "n=7", "n=7"}), base::UserError);
}

TEST(CommandLine, APresetMaySayHowManyRepetitions) {
  EXPECT_EQ(parse({"run", "--preset", "long"}).repetitions, 7);
  EXPECT_EQ(parse({"run", "--preset", "long"}).warmup, 0);
  const auto line = parse({"run", "--preset", "long", "--repetitions", "2", "--warmup", "3"});
  EXPECT_EQ(line.repetitions, 2);
  EXPECT_EQ(line.warmup, 3);
  EXPECT_EQ(parse({"run", "--preset", "small"}).repetitions, 0);
}

TEST(CommandLine, VerifyRefusesWhatItDoesNotHeed) {
  EXPECT_EQ(parse({"verify", "n=7"}).parameters.integer("n"), 7);
  EXPECT_NO_THROW(parse({"verify", "--preset", "small"}));
  EXPECT_NO_THROW(parse({"verify", "--preset", "wide"}));
  EXPECT_THROW(parse({"verify", "--preset", "long"}), base::UserError);
  try {
    parse({"verify", "steps=8"});
    FAIL() << "steps is not heeded, be it given its default";
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "steps=8", error.what());
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "what is asked for", error.what());
  }
}

TEST(Launcher, CopiesThatDoNotSeeEachOtherAreRefused) {
  const auto code = [](int started, int seen, bool with_mpi) {
    try {
      harness::require_one_program("example", started, seen, with_mpi);
    } catch (const base::UserError& error) {
      EXPECT_PRED_FORMAT2(::testing::IsSubstring, "2 times", error.what());
      return error.code();
    }
    return base::ExitCode::ok;
  };
  EXPECT_EQ(code(1, 1, false), base::ExitCode::ok);
  EXPECT_EQ(code(2, 2, true), base::ExitCode::ok);
  EXPECT_EQ(code(2, 1, false), base::ExitCode::usage);
  EXPECT_EQ(code(2, 1, true), base::ExitCode::environment);
}

TEST(CommandLine, ScheduleTakesALayoutAndStartsNoRun) {
  const auto line =
      parse({"schedule", "n=5", "--ranks", "7", "--repetitions", "2", "--output", "s.json"});
  EXPECT_EQ(line.command, harness::Command::schedule);
  EXPECT_EQ(line.ranks, 7);
  EXPECT_EQ(line.repetitions, 2);
  EXPECT_EQ(line.output_file, "s.json");
  for (const char* word : {"--record", "--context", "--campaign", "--warmup"})
    EXPECT_THROW(parse({"schedule", word, "1"}), base::UserError) << word;
  EXPECT_THROW(parse({"run", "--output", "s.json"}), base::UserError);
}

// A leaf whose ranks send to the next; without `scheduled` it has no schedule.
class Example final : public harness::Program {
 public:
  explicit Example(bool scheduled) : scheduled_(scheduled) {}
  base::Description describe() const override { return example(); }
  base::Work work(const base::Parameters&, const base::Layout&) const override { return {}; }
  std::string refuse(const base::Parameters&, const base::Layout& layout) const override {
    return layout.ranks > 4 ? "four is enough" : "";
  }
  harness::RankSchedule schedule(const base::Parameters&, const base::Layout&) const override {
    if (!scheduled_) return {};
    return [](schedule::RankWriter& writer) {
      writer.phase("work", [&] { writer.compute({1, 2, 3}); });
      writer.send_receive((writer.rank() + 1) % writer.ranks(), 8,
                          (writer.rank() + 3) % writer.ranks(), 8, 0);
    };
  }
  void repeat(harness::Run&) override {}
  void verify(harness::Run&, base::Checks&) override {}

 private:
  bool scheduled_;
};

TEST(Schedule, IsFramedAsTimedRepetitionsAre) {
  using schedule::Kind;
  const auto description = example();
  const auto made = harness::make_schedule(
      Example(true), description, parse({"schedule", "--ranks", "4", "--repetitions", "2"}));
  EXPECT_EQ(made.streams.size(), 1u);
  std::vector<Kind> kinds;
  schedule::Cursor cursor;
  while (const auto* operation = cursor.next(made.stream(2))) kinds.push_back(operation->kind);
  const std::vector<Kind> once{
      Kind::collective, Kind::phase_begin, Kind::phase_begin, Kind::compute,   Kind::phase_end,
      Kind::ireceive,   Kind::send,        Kind::wait,        Kind::phase_end, Kind::phase_begin,
      Kind::collective, Kind::phase_end,   Kind::collective};
  std::vector<Kind> twice = once;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_EQ(kinds, twice);
  EXPECT_NE(made.description.find("example n=8 steps=8, 4 ranks"), std::string::npos);
}

TEST(Schedule, IsRefusedForALeafWithoutOneAndForLayoutsThatCannotRun) {
  const auto description = example();
  EXPECT_THROW(harness::make_schedule(Example(false), description, parse({"schedule"})),
               base::UserError);
  EXPECT_THROW(
      harness::make_schedule(Example(true), description, parse({"schedule", "--ranks", "5"})),
      base::UserError);
}

TEST(Help, NamesEveryParameterPresetAndPhase) {
  const std::string text = harness::help_text(example(), true);
  for (const char* word : {"example", "n ", "small", "work", "1 to 100", "mpirun"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

base::json rank(const std::string& host, const std::vector<std::vector<int>>& allowed) {
  base::json threads = base::json::array();
  for (std::size_t i = 0; i < allowed.size(); ++i)
    threads.push_back({{"thread", i}, {"allowed", allowed[i]}, {"seen", allowed[i].at(0)}});
  return {{"host", host}, {"threads", threads}};
}

bool oversubscribed(const std::vector<base::json>& ranks) {
  BindingReport report;
  for (const auto& entry : ranks) report.ranks.push_back(entry);
  harness::judge_binding(report);
  EXPECT_EQ(report.oversubscribed, !report.problems.empty());
  return report.oversubscribed;
}

TEST(Binding, IsJudgedByWhatTheKernelAllows) {
  EXPECT_FALSE(oversubscribed({rank("a", {{0}}), rank("a", {{1}})}));
  EXPECT_TRUE(oversubscribed({rank("a", {{0}}), rank("a", {{0}})}));
  EXPECT_FALSE(oversubscribed({rank("a", {{0}}), rank("b", {{0}})}));
  // Two threads of one rank that was bound to a single core: the trap of a launcher's default
  // binding.
  EXPECT_TRUE(oversubscribed({rank("a", {{0}, {0}})}));
  EXPECT_FALSE(oversubscribed({rank("a", {{0, 1}, {0, 1}})}));
  // A greedy assignment would give processor 0 to the first thread and fail the second.
  EXPECT_FALSE(oversubscribed({rank("a", {{0, 1}}), rank("a", {{0}})}));
  EXPECT_TRUE(oversubscribed({rank("a", {{0, 1}, {0, 1}, {0, 1}})}));
}

TEST(Binding, ObservesEveryThread) {
  const auto seen = harness::observe_threads(2);
  ASSERT_EQ(seen.size(), 2u);
  for (int thread = 0; thread < 2; ++thread) {
    EXPECT_EQ(seen[thread].thread, thread);
    EXPECT_FALSE(seen[thread].allowed.empty());
    EXPECT_GE(seen[thread].seen, 0);
  }
}

TEST(Handover, IsOfTwoThreads) {
  EXPECT_EQ(base::handover_of_threads_s(1), 0.0);
  if (harness::observe_threads(1).front().allowed.size() < 2)
    GTEST_SKIP() << "one processor: threads would wait for its scheduler";
  const double found_s = base::handover_of_threads_s(2);
  EXPECT_GT(found_s, 0.0);
  EXPECT_TRUE(std::isfinite(found_s));
}

TEST(Record, StartsAsAFailureAndTakesItsNameFromTheFile) {
  const auto line = parse({"run", "--record", "/some/where/abc-1.json", "--campaign", "c"});
  const auto record = harness::begin_record(example(), line, {2, 3}, "app");
  EXPECT_EQ(record.at("id"), "abc-1");
  EXPECT_EQ(record.at("status"), "failed");
  EXPECT_EQ(record.at("campaign"), "c");
  EXPECT_EQ(record.at("layout").at("threads"), 3);
  const auto unnamed = harness::begin_record(example(), parse({"run"}), {1, 1}, "app");
  EXPECT_NE(unnamed.at("id").get<std::string>().find("-example-"), std::string::npos);
}

TEST(Record, SaysThatCachesWereEmptied) {
  const auto record = harness::begin_record(example(), parse({"run", "--cold"}), {1, 1}, "app");
  EXPECT_EQ(record.at("cold"), true);
  EXPECT_FALSE(harness::begin_record(example(), parse({"run"}), {1, 1}, "app").contains("cold"));
  EXPECT_THROW(parse({"verify", "--cold"}), base::UserError);
  EXPECT_THROW(parse({"describe", "--cold"}), base::UserError);
}

TEST(ColdCaches, WriteAsManyLinesAsThePhase) {
  base::PhaseWork triad{.phase = "triad", .bytes = 24.0, .bytes_write_allocate = 32.0};
  EXPECT_DOUBLE_EQ(harness::share_written(triad), 1.0 / 3.0);
  triad.bytes_write_allocate = 24.0;  // stored around the caches
  EXPECT_EQ(harness::share_written(triad), 0.0);
  EXPECT_EQ(harness::share_written({}), 0.0);
}

TEST(ColdCaches, AreEmptiedBeforeAPhaseAndNotInsideOfOne) {
  struct Witness final : base::PhaseObserver {
    int begun = 0, ended = 0;
    void begin(const char*) override { ++begun; }
    void end(const char*) override { ++ended; }
  } witness;
  harness::ColdCaches cold({}, 1, &witness);
  cold.begin("outer");
  const double outer_s = cold.take_spent_s();
  EXPECT_GT(outer_s, 0.0);
  cold.begin("inner");
  EXPECT_EQ(cold.take_spent_s(), 0.0);
  cold.end("inner");
  cold.end("outer");
  cold.begin("outer");
  EXPECT_GT(cold.take_spent_s(), 0.0);
  EXPECT_EQ(witness.begun, 3);
  EXPECT_EQ(witness.ended, 2);
}

TEST(ColdCaches, GoRoundMoreWhereThreadsShareSeveral) {
  EXPECT_GE(harness::ColdCaches::bytes(1), 64 << 20);
  EXPECT_GE(harness::ColdCaches::bytes(4096), harness::ColdCaches::bytes(1));
}

TEST(ColdCaches, TellNobodyWhereNobodyListens) {
  harness::ColdCaches cold({}, 2, nullptr);
  cold.begin("work");
  cold.end("work");
  EXPECT_GT(cold.take_spent_s(), 0.0);
}

TEST(Termination, WritesThePreparedRecordAndDiesBySignal) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("hakaru-signal-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = folder / "record.json";
  auto die = [&] {
    harness::write_on_signal(path, [](const char* signal, int exit_code) {
      return std::string("ended by ") + signal + ", " + std::to_string(exit_code);
    });
    ::raise(SIGTERM);
  };
  EXPECT_EXIT(die(), ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(base::read_file(path), "ended by SIGTERM, 143");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
