#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "native/base/require.hpp"
#include "native/replay/engine/test_support.hpp"
#include "native/replay/tool/generate.hpp"
#include "native/replay/tool/recording.hpp"
#include "native/schedule/json.hpp"
#include "native/trace/summary/summary.hpp"
#include "native/trace/timeline/timeline.hpp"
#include "native/trace/write/archive.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;
using namespace replay::test;
using replay::Recording;
using replay::Result;

class Written : public testing::Test {
 protected:
  Written() { fs::remove_all(folder_); }
  ~Written() override { fs::remove_all(folder_); }

  Result replay(const Schedule& schedule, const nlohmann::json& document = flat_document()) {
    schedule::validate(schedule);
    const auto network = replay::make_network(document, schedule.ranks);
    replay::Costs costs = replay::read_costs(document);
    const replay::Options options = replay::read_options(nlohmann::json::object(), costs);
    Recording recording(schedule, "", folder_);
    const Result result = replay::replay(schedule, *network, costs, options, recording.observers());
    recording.write(result);
    return result;
  }
  Trace read() const { return read_trace(folder_, {.times = true, .silent_times = true}); }

  const std::string folder_ =
      (fs::temp_directory_path() / ("hakaru_written_" + std::to_string(getpid()))).string();
};

// What the summary of the archive and the replay's result say differently, s.
double difference(const Summary& summary, const Result& result) {
  double most = std::abs(summary.efficiencies.runtime_s - result.makespan_s);
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    double calls = 0;
    for (std::size_t kind = 1; kind < time_kinds.size(); ++kind) calls += summary.ranks[rank][kind];
    const replay::RankResult& one = result.ranks[rank];
    most = std::max(most, std::abs(summary.ranks[rank][0] - one.compute_s));
    most = std::max(
        most, std::abs(calls - (one.overhead_s + one.runtime_s + one.waiting_s + one.file_s)));
  }
  return most;
}

Schedule with_phases() {
  Schedule schedule = of({{compute(3), isend(1, 50, 0), wait(0)}, {ireceive(0, 50, 0), wait(0)}});
  schedule.phases = {{"so<b>lve", "compute"}, {"halo", "communicate"}};
  schedule.streams[0][0].phase = 0;
  for (Stream& stream : schedule.streams)
    for (std::size_t i = stream.size() - 2; i < stream.size(); ++i) stream[i].phase = 1;
  return schedule;
}

TEST_F(Written, TheSummaryOfTheArchiveIsTheReplaysResult) {
  for (const char* what :
       {"halo2d:ranks=16,steps=5,bytes=3000,compute_s=0.5", "pingpong:bytes=8,times=7",
        "allreduce:ranks=7,bytes=64,times=3", "gather_reverse:ranks=5,bytes=900"}) {
    const Schedule schedule = replay::generate(what);
    const Result result = replay(schedule);
    const Trace trace = read();
    const Summary summary = summarise(trace);
    EXPECT_LT(difference(summary, result), 1e-9) << what;
    EXPECT_EQ(summary.unmatched_sends + summary.unmatched_receives, 0u) << what;
    EXPECT_TRUE(trace.complete) << what;
    EXPECT_EQ(trace.creator, "hakaru replay");
    Result other = result;
    other.ranks.back().compute_s += 1e-6;
    EXPECT_GT(difference(summary, other), 0.9e-6) << "the comparison must see a microsecond";
  }
}

TEST_F(Written, MessagesAreThere) {
  const Schedule schedule = replay::generate("halo2d:ranks=16,steps=5,bytes=3000,compute_s=0.5");
  const Result result = replay(schedule);
  std::uint64_t messages = 0, bytes = 0;
  for (const auto& [pair, traffic] : summarise(read()).matrix)
    messages += traffic.messages, bytes += traffic.bytes;
  EXPECT_EQ(messages, result.messages);
  EXPECT_EQ(bytes, result.bytes);
  EXPECT_EQ(timeline(read())["messages"]["count"], result.messages);
}

TEST_F(Written, ReplayedAgainItTakesAsLong) {
  for (const char* what :
       {"halo2d:ranks=9,steps=4,bytes=3000,compute_s=0.5", "alltoall:ranks=6,bytes=200,times=2",
        "scan:ranks=5,bytes=40,times=2", "gather:ranks=6,bytes=40,times=2",
        "scatter:ranks=5,bytes=40,times=2", "reduce:ranks=6,bytes=40,times=2",
        "allgather:ranks=5,bytes=40,times=2", "reduce_scatter:ranks=6,bytes=60,times=2",
        "broadcast:ranks=5,bytes=40,times=2"}) {
    const Result first = replay(replay::generate(what));
    const Schedule again = read_otf2(folder_);
    EXPECT_NEAR(run(again).makespan_s, first.makespan_s, 1e-9 * first.makespan_s) << what;
  }
}

TEST_F(Written, PhasesKeepTheirNamesKindsAndTimes) {
  const Result result = replay(with_phases());
  const Trace trace = read();
  ASSERT_EQ(trace.schedule.phases.size(), 2u);
  const Summary summary = summarise(trace);
  for (const replay::PhaseResult& phase : result.phases) {
    if (phase.seconds.maximum == 0) continue;
    const PhaseTotal& told = summary.phases.at(phase.name);
    EXPECT_NEAR(told.sum_s / 2, phase.seconds.mean, 1e-9) << phase.name;
    EXPECT_NEAR(told.max_s, phase.seconds.maximum, 1e-9) << phase.name;
  }
  EXPECT_EQ(trace.schedule.phases[0].kind, "compute");
}

// Every kind of operation keeps what a schedule says of it.
Schedule every_kind() {
  Schedule schedule = of({{}, {}});
  schedule.communicators.push_back({"row", {{0, 1}}, false});
  schedule.communicators.push_back({"self", {}, true});
  schedule.lists = {{1}, {0}, {3, 7}, {5, 9}, {1, 12, 1, 12}, {0, 12, 0, 12}};
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    Stream& s = schedule.streams[static_cast<std::size_t>(rank)];
    const std::int32_t other = 1 - rank;
    const auto listed = [](Operation o, std::int32_t payload) {
      o.payload = payload;
      return o;
    };
    const auto requested = [](Operation o, std::int32_t request) {
      o.request = request;
      return o;
    };
    s = {compute(1), op(Kind::put, other, 64), op(Kind::get, other, 32),
         op(Kind::accumulate, other, 16), op(Kind::fence)};
    s.push_back(listed(op(Kind::post), other));
    s.back().payload = rank == 0 ? 0 : 1;
    s.push_back(listed(op(Kind::start), rank == 0 ? 0 : 1));
    s.push_back(op(Kind::put, other, 40));
    s.push_back(op(Kind::complete));
    s.push_back(op(Kind::wait_exposure));
    s.push_back(op(Kind::lock, other));
    s.push_back(op(Kind::put, other, 24));
    s.push_back(op(Kind::flush, other));
    s.push_back(op(Kind::unlock, other));
    s.push_back(op(Kind::lock));
    s.push_back(op(Kind::put, other, 24, 0, 3));
    s.push_back(wait(3));
    s.push_back(op(Kind::flush));
    s.push_back(op(Kind::unlock));
    s.push_back(listed(on(collective(Collective::alltoall, 5), 1), rank == 0 ? 2 : 3));
    s.push_back(requested(on(collective(Collective::allreduce, 8), 1), 2));
    s.push_back(wait(2));
    Operation neighbours = collective(Collective::neighbour_exchange, 1);
    s.push_back(listed(neighbours, rank == 0 ? 4 : 5));
    s.push_back(s.back());
    s.back().grid = true;
    s.push_back(op(Kind::file_open));
    s.push_back(with(op(Kind::file_write, -1, 800), Mode::collective));
    s.push_back(op(Kind::file_close));
    if (rank == 0) {
      s.push_back(with(send(1, 30, 4), Mode::synchronous));
      s.push_back(with(isend(1, 30, 1, 6), Mode::buffered));
      s.push_back(wait(1));
      s.push_back(listed(send(1, 32, 7), 8));
      s.push_back(listed(isend(1, 32, 1, 8), 16));
      s.back().persistent = true;
      s.push_back(wait(1));
    } else {
      s.push_back(op(Kind::probe, 0, 30, 4));
      s.push_back(receive(0, 30, 4));
      s.push_back(receive(0, 30, 6));
      s.push_back(listed(receive(0, 32, 7), 4));
      s.push_back(listed(op(Kind::ireceive, 0, 32, 8, 1), 2));
      s.push_back(wait(1));
    }
  }
  return schedule;
}

std::vector<std::string> said(const Schedule& schedule, std::int32_t rank) {
  std::vector<std::string> lines;
  for (const Operation& o : schedule.stream(rank)) {
    if (o.kind == Kind::compute || o.kind == Kind::phase_begin || o.kind == Kind::phase_end)
      continue;
    std::string line = schedule::name_of(o.kind);
    if (o.kind == Kind::collective) line += std::string(" ") + schedule::name_of(o.collective);
    const bool mode = o.kind != Kind::file_open && o.kind != Kind::file_close;
    line += std::string(" ") + (mode ? schedule::name_of(o.mode) : "");
    line +=
        " " + std::to_string(o.peer) + " " + std::to_string(o.bytes) + " " + std::to_string(o.tag);
    line += o.request >= 0 ? " later" : "";
    line += o.grid ? " on a grid" : "";
    line += o.persistent ? " persistent" : "";
    if (o.payload >= 0 && o.kind <= Kind::probe)
      line += " in pieces of " + std::to_string(o.payload);
    else if (o.payload >= 0)
      for (const std::int64_t value : schedule.lists[static_cast<std::size_t>(o.payload)])
        line += " " + std::to_string(value);
    lines.push_back(line);
  }
  return lines;
}

TEST_F(Written, EveryOperationIsReadBack) {
  const Schedule schedule = every_kind();
  nlohmann::json document = flat_document();
  document["file_system"] = {
      {"operation_s", 0.5}, {"rank_bytes_per_s", 100}, {"total_bytes_per_s", 150}};
  const Result result = replay(schedule, document);
  const Trace trace = read();
  for (std::int32_t rank = 0; rank < 2; ++rank)
    EXPECT_EQ(said(trace.schedule, rank), said(schedule, rank)) << rank;
  EXPECT_LT(difference(summarise(trace), result), 1e-9);
}

TEST_F(Written, OperationsOfThreadsAreThreads) {
  Schedule schedule = of({{op(Kind::fork, -1, 0, 0, 0), compute(2), send(1, 8, 1), wait(0)},
                          {receive(0, 8, 1), receive(0, 8, 2)}});
  schedule.streams[0][0].payload = 2;
  schedule.streams.push_back({compute(1), send(1, 8, 2), compute(5)});
  const Result result = replay(schedule);
  const Trace trace = read();
  EXPECT_NEAR(summarise(trace).efficiencies.runtime_s, result.makespan_s, 1e-9);
  EXPECT_EQ(summarise(trace).calls.at("MPI_Send").calls, 2u);
}

TEST_F(Written, OnlyAnArchiveIsReplaced) {
  fs::create_directories(folder_);
  std::ofstream(folder_ + "/letter") << "dear";
  EXPECT_THROW(replay(replay::generate("pingpong:bytes=8,times=1")), base::UserError);
  EXPECT_TRUE(fs::exists(folder_ + "/letter"));
  fs::remove_all(folder_);
  replay(replay::generate("pingpong:bytes=8,times=1"));
  replay(replay::generate("pingpong:bytes=8,times=2"));
  EXPECT_EQ(summarise(read()).matrix.at({0, 1}).messages, 2u);
}

TEST_F(Written, ADamagedArchiveIsNotRead) {
  replay(replay::generate("pingpong:bytes=8,times=50"));
  const std::string path = folder_ + "/traces/0.evt";
  std::string content;
  {
    std::ifstream in(path, std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  content[content.size() / 2] ^= 4;
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_THROW(read(), base::UserError);
}

}  // namespace
}  // namespace hakaru::trace
