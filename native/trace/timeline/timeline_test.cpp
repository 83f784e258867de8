#include "native/trace/timeline/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>

#include "native/base/require.hpp"
#include "native/trace/reader/test_archive.hpp"
#include "native/trace/timeline/levels.hpp"

namespace hakaru::trace {
namespace {

using nlohmann::json;

constexpr std::uint32_t none = OTF2_UNDEFINED_UINT32;

void send(TestArchive& a, std::uint32_t rank, std::uint32_t to, std::uint64_t bytes,
          std::uint64_t compute, std::uint64_t duration) {
  a.call(
      rank, "MPI_Send",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, a.at(rank), to, 0, 0, bytes); },
      compute, duration);
}
void receive(TestArchive& a, std::uint32_t rank, std::uint32_t from, std::uint64_t bytes,
             std::uint64_t compute, std::uint64_t duration) {
  a.call(
      rank, "MPI_Recv",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(rank), from, 0, 0, bytes); },
      compute, duration);
}
void silent(TestArchive& a, std::uint32_t rank, const char* name, std::uint64_t compute,
            std::uint64_t duration) {
  a.call(
      rank, name, [](OTF2_EvtWriter*) {}, compute, duration);
}

// Phases, silent calls, messages around a ring, barriers.
void run_ring(TestArchive& a, std::uint32_t ranks, int rounds, unsigned seed) {
  std::mt19937 random(seed);
  const auto some = [&](unsigned most) { return random() % most; };
  a.region("solve", OTF2_PARADIGM_USER);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) silent(a, rank, "MPI_Init", 0, 10 + some(50));
  for (int round = 0; round < rounds; ++round)
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      a.enter(rank, "solve", some(40));
      send(a, rank, (rank + 1) % ranks, 1u << some(20), some(300), some(40));
      silent(a, rank, "MPI_Comm_rank", some(30), some(5));
      silent(a, rank, "MPI_Test", some(30), some(5));
      a.leave(rank, "solve", 20);
      receive(a, rank, (rank + ranks - 1) % ranks, 8, some(100), some(200));
      a.collective(rank, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, none, 0, 0, some(50),
                   some(90));
    }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) silent(a, rank, "MPI_Finalize", 5, 20);
}

Trace read(TestArchive& a) { return read_trace(a.close(), {.times = true, .silent_times = true}); }

std::vector<unsigned char> bytes_of(const json& text) {
  static const std::string letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned word = 0, bits = 0;
  for (const char letter : text.get<std::string>()) {
    if (letter == '=') break;
    word = word << 6U | static_cast<unsigned>(letters.find(letter));
    bits += 6;
    if (bits >= 8) bits -= 8, bytes.push_back(static_cast<unsigned char>(word >> bits & 255U));
  }
  return bytes;
}

// What differs between the rows of a timeline and the summary of its trace, s; but for MPI_Init and
// MPI_Finalize, which are no part of the run.
double difference(const json& told, const Summary& summary) {
  double most = 0;
  for (std::size_t row = 0; row < told["rows"].size(); ++row) {
    const std::size_t first = told["rows"][row]["first_rank"], ranks = told["rows"][row]["ranks"];
    for (std::size_t kind = 0; kind + 1 < time_kinds.size(); ++kind) {
      double sum = 0;
      for (std::size_t rank = first; rank < first + ranks; ++rank) sum += summary.ranks[rank][kind];
      const double shown = told["rows"][row]["time_by_kind"][time_kinds[kind]];
      most = std::max(most, std::abs(sum - shown));
    }
  }
  return most;
}

TEST(Timeline, SumsOfRowsAreTheSummarys) {
  for (const std::size_t rows : {1024u, 2u}) {
    TestArchive a(5);
    run_ring(a, 5, 20, 7);
    const Trace trace = read(a);
    const Summary summary = summarise(trace);
    Limits limits;
    limits.rows = rows;
    json told = timeline(trace, {}, limits);
    EXPECT_EQ(told["rows"].size(), rows == 2 ? 2u : 5u);
    EXPECT_LT(difference(told, summary), 1e-12);
    // The comparison sees a nanosecond.
    double& one = told["rows"][0]["time_by_kind"]["compute"].get_ref<double&>();
    one += 1e-9;
    EXPECT_GT(difference(told, summary), 0.9e-9);
  }
}

TEST(Timeline, CallsAreCountedAsInTheSummary) {
  TestArchive a(4);
  run_ring(a, 4, 30, 3);
  const Trace trace = read(a);
  const Summary summary = summarise(trace);
  const json told = timeline(trace);
  std::map<std::string, std::uint64_t> counts;
  std::map<std::string, double> seconds;
  for (const json& state : told["states"]) {
    counts[state["name"]] += state["count"].get<std::uint64_t>();
    seconds[state["name"]] += state["seconds"].get<double>();
  }
  for (const auto& [name, call] : summary.calls) {
    if (name == "MPI_Test") continue;  // its time is computing
    EXPECT_EQ(counts[name], call.calls) << name;
    if (name != "MPI_Init" && name != "MPI_Finalize")
      EXPECT_NEAR(seconds[name], call.seconds, 1e-12) << name;
  }
}

TEST(Timeline, TheCriticalPathIsAsLongAsTheSummarys) {
  TestArchive a(6);
  run_ring(a, 6, 25, 11);
  const Trace trace = read(a);
  double length = 0;
  for (const double seconds : summarise(trace).critical_path.kinds) length += seconds;
  const json path = timeline(trace)["critical_path"];
  EXPECT_NEAR(path["seconds"], length, 1e-12);
  EXPECT_TRUE(path["whole"]);
  double stays = 0, end = 0;
  for (const json& stay : path["stays"]) {
    stays += stay[2].get<double>() - stay[1].get<double>();
    EXPECT_GE(stay[1].get<double>(), end - 1e-12);  // one after the other
    end = stay[2];
  }
  EXPECT_NEAR(stays, length, 1e-12);
}

TEST(Timeline, BytesOfLevelsFollowThePieces) {
  TestArchive a(2);
  silent(a, 0, "MPI_Init", 0, 0);
  silent(a, 1, "MPI_Init", 0, 0);
  send(a, 0, 1, 8, 512, 512);     // computes the first half, then sends
  receive(a, 1, 0, 8, 256, 768);  // waits from 256 to 512
  const json told = timeline(read(a));
  const json level = told["levels"][0];
  EXPECT_EQ(level["bins"], 256);
  const auto states = bytes_of(level["states"]), computing = bytes_of(level["computing"]),
             waiting = bytes_of(level["waiting"]), calls = bytes_of(level["communicating"]);
  ASSERT_EQ(states.size(), 512u);
  EXPECT_EQ(told["states"][0]["name"], "computing");
  EXPECT_EQ(states[0], 0);
  EXPECT_EQ(computing[10], 255);
  EXPECT_EQ(told["states"][states[200]]["name"], "MPI_Send");
  EXPECT_EQ(told["states"][states[256 + 200]]["name"], "MPI_Recv");
  EXPECT_EQ(waiting[256 + 100], 255);
  EXPECT_EQ(waiting[256 + 200], 0);
  EXPECT_EQ(calls[256 + 200], 255);
  EXPECT_NEAR(told["rows"][1]["waiting_s"], 256e-9, 1e-15);
}

TEST(Timeline, SinglePiecesWhereTheyAreFew) {
  TestArchive a(2);
  run_ring(a, 2, 3, 5);
  const Trace trace = read(a);
  const json told = timeline(trace);
  const auto begin = bytes_of(told["pieces"]["begin_s"]);
  const auto seconds = bytes_of(told["pieces"]["seconds"]);
  std::size_t count = 0;
  for (const json& one : told["pieces"]["counts"]) count += one.get<std::size_t>();
  EXPECT_EQ(begin.size(), 8 * count);
  double sum = 0, expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    float one = 0;
    std::memcpy(&one, &seconds[4 * i], 4);
    sum += one;
  }
  for (const json& row : told["rows"])
    for (const json& one : row["time_by_kind"]) expected += one.get<double>();
  EXPECT_NEAR(sum, expected, 1e-6 * expected);
  Limits limits;
  limits.pieces = 3;
  EXPECT_TRUE(timeline(trace, {}, limits)["pieces"].is_null());
}

TEST(Timeline, MessagesOfDividedTilesAddUp) {
  TestArchive a(4);
  run_ring(a, 4, 700, 9);
  const Trace trace = read(a);
  const json told = timeline(trace)["messages"];
  EXPECT_EQ(told["count"], 2800);
  std::uint64_t leaves = 0, singles = 0;
  for (const json& tile : told["tiles"]) {
    std::uint64_t sum = 0;
    for (const json& entry : tile["entries"])
      sum += tile["single"] ? 1 : entry[5].get<std::uint64_t>();
    EXPECT_EQ(sum, tile["count"].get<std::uint64_t>());
    if (!tile["divided"]) leaves += tile["count"].get<std::uint64_t>();
    if (tile["single"]) singles += tile["count"].get<std::uint64_t>();
  }
  EXPECT_EQ(leaves, 2800u);
  EXPECT_EQ(singles, 2800u);
  Limits limits;
  limits.messages = 0;
  EXPECT_EQ(timeline(trace, {}, limits)["messages"]["tiles"].size(), 1u);
}

TEST(Timeline, WaitsAndHistograms) {
  TestArchive a(2);
  send(a, 0, 1, 4096, 500, 10);
  receive(a, 1, 0, 4096, 100, 450);
  const json told = timeline(read(a));
  ASSERT_EQ(told["longest_waits"].size(), 1u);
  const json wait = told["longest_waits"][0];
  EXPECT_EQ(wait["rank"], 1);
  EXPECT_EQ(wait["late_rank"], 0);
  EXPECT_EQ(wait["call"], "MPI_Recv");
  EXPECT_NEAR(wait["seconds"], 400e-9, 1e-15);
  const json sizes = told["histograms"]["message_bytes"];
  EXPECT_EQ(sizes["first"], 4096);
  EXPECT_EQ(sizes["counts"], json::array({1}));
  EXPECT_EQ(told["histograms"]["waiting_s"]["late_sender"]["counts"], json::array({1}));
}

TEST(Timeline, AWindowHoldsOnlyItsTime) {
  TestArchive a(2);
  send(a, 0, 1, 8, 500, 10);
  receive(a, 1, 0, 8, 100, 450);
  send(a, 0, 1, 8, 1000, 10);
  receive(a, 1, 0, 8, 1000, 450);
  const Trace trace = read(a);
  const double begin = trace.ranks[0].begin_s;
  const json told = timeline(trace, {begin, begin + 100e-9});
  double sum = 0;
  for (const json& row : told["rows"])
    for (const json& one : row["time_by_kind"]) sum += one.get<double>();
  EXPECT_LE(sum, 200.1e-9);
  EXPECT_LE(told["messages"]["count"], 1);
  EXPECT_THROW(timeline(trace, {1.0, 2.0}), base::UserError);
  EXPECT_THROW(timeline(trace, {begin + 100e-9, begin}), base::UserError);
}

TEST(Timeline, NothingOrOneRankOrARankWithoutEvents) {
  TestArchive empty(3);
  const json nothing = timeline(read(empty));
  EXPECT_EQ(nothing["ranks"], 3);
  EXPECT_TRUE(nothing["levels"].empty());
  TestArchive one(1);
  silent(one, 0, "MPI_Init", 0, 10);
  silent(one, 0, "MPI_Finalize", 100, 10);
  EXPECT_EQ(timeline(read(one))["rows"].size(), 1u);
  TestArchive idle(2);
  silent(idle, 0, "MPI_Init", 0, 10);
  const json told = timeline(read(idle));
  EXPECT_EQ(told["rows"].size(), 2u);
  EXPECT_EQ(bytes_of(told["levels"][0]["states"])[256], 255);
}

TEST(Timeline, InitAndFinalizeAreShownOnlyWhenAskedFor) {
  TestArchive a(2);
  for (const std::uint32_t rank : {0u, 1u}) {
    silent(a, rank, "MPI_Init", 0, 1000);
    silent(a, rank, "MPI_Comm_rank", 500, 10);
    silent(a, rank, "MPI_Finalize", 5, 4000);
  }
  const Trace trace = read(a);
  EXPECT_NEAR(timeline(trace)["to_s"].get<double>() - timeline(trace)["from_s"].get<double>(),
              515e-9, 1e-15);
  const json all = timeline(trace, {trace.ranks[0].begin_s, trace.ranks[0].end_s});
  EXPECT_NEAR(all["rows"][0]["time_by_kind"]["environment"], 5000e-9, 1e-15);
}

TEST(Timeline, ClocksThatDifferAreSaid) {
  TestArchive a(2);
  silent(a, 1, "MPI_Init", 0, 10);
  receive(a, 1, 0, 8, 10, 10);
  send(a, 0, 1, 8, 5000, 10);
  const json told = timeline(read(a));
  ASSERT_EQ(told["warnings"].size(), 1u);
  EXPECT_NE(told["warnings"][0].get<std::string>().find("received before"), std::string::npos);
}

TEST(Timeline, ThreadsThatCallAtOnceKeepTheSums) {
  TestArchive a(2);
  const std::uint32_t other = a.thread(0);
  silent(a, 0, "MPI_Init_thread", 0, 10);
  receive(a, 0, 1, 8, 90, 400);
  a.call(
      other, "MPI_Recv",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(other), 1, 0, 2, 8); }, 300,
      400);
  receive(a, 0, 1, 8, 0, 50);
  send(a, 1, 0, 8, 200, 10);
  send(a, 1, 0, 8, 0, 10);
  a.call(
      1, "MPI_Send",
      [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, a.at(1), 0, 0, 2, 8); }, 280, 10);
  const Trace trace = read(a);
  EXPECT_LT(difference(timeline(trace), summarise(trace)), 1e-12);
}

TEST(Timeline, ManyRanksShareRows) {
  TestArchive a(2500);
  for (std::uint32_t rank = 0; rank < 2500; ++rank) silent(a, rank, "MPI_Init", 0, 10 + rank);
  const Trace trace = read(a);
  const json told = timeline(trace);
  EXPECT_EQ(told["ranks_per_row"], 3);
  EXPECT_EQ(told["rows"].size(), 834u);
  EXPECT_LT(difference(told, summarise(trace)), 1e-12);
}

TEST(Timeline, BinsOfTenMillionCellsAreNotMade) {
  EXPECT_EQ(finest(64, 10'000'000, 1'500'000, 65536), 16384u);
  EXPECT_EQ(finest(1024, 10'000'000, 1'500'000, 65536), 1024u);
  EXPECT_EQ(finest(1, 10, 1'500'000, 65536), 256u);
}

TEST(Timeline, Base64) {
  EXPECT_EQ(base64("Man", 3), "TWFu");
  EXPECT_EQ(base64("Ma", 2), "TWE=");
  EXPECT_EQ(base64("M", 1), "TQ==");
  EXPECT_EQ(base64("", 0), "");
}

}  // namespace
}  // namespace hakaru::trace
