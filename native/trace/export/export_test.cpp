#include "native/trace/export/export.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"
#include "native/trace/reader/test_archive.hpp"

namespace hakaru::trace {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* nasty = "<b>\"so,lve\"</b>\\";

Trace example(std::uint32_t ranks = 3, int rounds = 4) {
  TestArchive a(ranks);
  a.region(nasty, OTF2_PARADIGM_USER);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    a.call(
        rank, "MPI_Init", [](OTF2_EvtWriter*) {}, 0, 10);
    for (int round = 0; round < rounds; ++round) {
      a.enter(rank, nasty, 10);
      a.call(
          rank, "MPI_Send",
          [&](OTF2_EvtWriter* w) {
            OTF2_EvtWriter_MpiSend(w, nullptr, a.at(rank), (rank + 1) % ranks, 0, 5, 100);
          },
          50 + 10 * rank, 20);
      a.leave(rank, nasty, 0);
      a.call(
          rank, "MPI_Recv",
          [&](OTF2_EvtWriter* w) {
            OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(rank), (rank + ranks - 1) % ranks, 0, 5, 100);
          },
          0, 200);
      a.collective(rank, "MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32, 0, 0,
                   10, 30);
    }
    a.call(
        rank, "MPI_Finalize", [](OTF2_EvtWriter*) {}, 3, 10);
  }
  return read_trace(a.close(), {.times = true, .silent_times = true});
}

std::uint64_t calls_of(const Trace& trace) {
  std::uint64_t calls = 0;
  for (const auto& [name, call] : summarise(trace).calls) calls += call.calls;
  return calls;
}

class Export : public testing::Test {
 protected:
  Export() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Export() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  const fs::path folder_ =
      fs::temp_directory_path() / ("hakaru_export_" + std::to_string(getpid()));
};

std::vector<std::string> lines_of(const std::string& path) {
  std::istringstream text(base::read_file(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; std::getline(in, part, ':');) parts.push_back(part);
  return parts;
}

TEST_F(Export, PerfettoHoldsEveryCallAndMessage) {
  const Trace trace = example();
  const Exported done = export_perfetto(trace, at("t.json"));
  const json document = json::parse(base::read_file(at("t.json")));
  std::map<std::string, std::uint64_t> slices, flows;
  std::map<std::uint64_t, double> sent;
  double computing_us = 0;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "X") ++slices[event["name"]];
    if (event["ph"] == "X" && event["name"] == "computing")
      computing_us += event["dur"].get<double>();
    if (event["ph"] == "s") sent[event["id"]] = event["ts"];
    if (event["ph"] == "f") {
      EXPECT_LT(sent.at(event["id"]), event["ts"].get<double>());
    }
    if (event["ph"] == "s" || event["ph"] == "f") ++flows[event["ph"]];
  }
  EXPECT_EQ(slices["MPI_Send"], 12u);
  EXPECT_EQ(slices[nasty], 12u);
  EXPECT_EQ(slices["MPI_Init"] + slices["MPI_Finalize"], 6u);
  EXPECT_EQ(flows["s"], 12u);
  EXPECT_EQ(flows["f"], 12u);
  EXPECT_EQ(done.calls, calls_of(trace));
  EXPECT_EQ(done.messages, 12u);
  double compute_s = 0;
  for (const TimeByKind& rank : summarise(trace).ranks) compute_s += rank[0];
  EXPECT_NEAR(computing_us, 1e6 * compute_s, 1e-6);
  EXPECT_EQ(files(), std::vector<std::string>{"t.json"});
}

TEST_F(Export, ParaverRecordsAreSortedWholeAndAddUp) {
  const Trace trace = example();
  const Exported done = export_paraver(trace, at("t.prv"));
  EXPECT_EQ(files(), (std::vector<std::string>{"t.pcf", "t.prv", "t.row"}));
  const std::vector<std::string> lines = lines_of(at("t.prv"));
  EXPECT_TRUE(lines[0].starts_with("#Paraver (")) << lines[0];
  EXPECT_NE(lines[0].find(":1:3("), std::string::npos) << lines[0];
  std::uint64_t begins = 0, messages = 0, bytes = 0, computing_ns = 0;
  long long last = 0;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> parts = split(lines[i]);
    ASSERT_GE(parts.size(), 8u) << lines[i];
    const long long time = std::stoll(parts[5]);
    EXPECT_GE(time, last);
    last = time;
    if (parts[0] == "1" && parts[7] == "1")
      computing_ns += std::stoull(parts[6]) - std::stoull(parts[5]);
    if (parts[0] == "2" && parts[7] != "0" && parts[6] != "60000019") ++begins;
    if (parts[0] == "3") {
      ASSERT_EQ(parts.size(), 15u);
      ++messages;
      bytes += std::stoull(parts[13]);
      EXPECT_EQ(parts[14], "5");
    }
  }
  EXPECT_EQ(begins, calls_of(trace));
  EXPECT_EQ(begins, done.calls);
  EXPECT_EQ(messages, 12u);
  EXPECT_EQ(bytes, 1200u);
  double compute_s = 0;
  for (const TimeByKind& rank : summarise(trace).ranks) compute_s += rank[0];
  EXPECT_NEAR(static_cast<double>(computing_ns), 1e9 * compute_s, 1e-3);
  const std::string names = base::read_file(at("t.pcf"));
  for (const char* name : {"MPI_Send", "MPI_Barrier", nasty, "STATES_COLOR"})
    EXPECT_NE(names.find(name), std::string::npos) << name;
  EXPECT_NE(base::read_file(at("t.row")).find("LEVEL THREAD SIZE 3"), std::string::npos);
  EXPECT_THROW(export_paraver(trace, at("t.txt")), base::UserError);
}

TEST_F(Export, CsvHasALineForEachCallBurstPhaseAndMessage) {
  const Trace trace = example();
  const Exported done = export_csv(trace, at("t.csv"));
  const std::vector<std::string> lines = lines_of(at("t.csv"));
  EXPECT_EQ(lines.size(), 1 + done.calls + done.bursts + done.phases + done.messages);
  EXPECT_EQ(done.calls, calls_of(trace));
  EXPECT_EQ(done.phases, 12u);
  std::size_t quoted = 0, sends = 0;
  for (const std::string& line : lines) {
    quoted += line.find("\"<b>\"\"so,lve\"\"</b>\\\"") != std::string::npos;
    sends += line.find(",MPI_Send,") != std::string::npos;
  }
  EXPECT_EQ(sends, 12u);
  EXPECT_GE(quoted, 24u);
}

TEST_F(Export, AFullDiskLeavesNothingAndWhatWasThereStays) {
  const Trace trace = example();
  EXPECT_THROW(export_csv(trace, at("no/t.csv")), base::UserError);
  if (fs::exists("/dev/full")) {
    // The temporary name is a link to a device that is always full.
    const std::string path = at("t.json");
    std::ofstream(path) << "old";
    fs::create_symlink("/dev/full", path + "." + std::to_string(getpid()) + ".part");
    EXPECT_THROW(export_perfetto(trace, path), base::UserError);
    EXPECT_EQ(base::read_file(path), "old");
    EXPECT_EQ(files(), std::vector<std::string>{"t.json"});
  }
}

TEST_F(Export, AnEmptyTraceIsAnEmptyFile) {
  TestArchive a(2);
  const Trace trace = read_trace(a.close(), {.times = true, .silent_times = true});
  EXPECT_EQ(export_csv(trace, at("t.csv")).calls, 0u);
  EXPECT_EQ(lines_of(at("t.csv")).size(), 1u);
  EXPECT_EQ(export_paraver(trace, at("t.prv")).messages, 0u);
  EXPECT_TRUE(json::parse(base::read_file((export_perfetto(trace, at("t.json")), at("t.json"))))
                  .contains("traceEvents"));
}

TEST_F(Export, ThreadsOfARankAreThreads) {
  TestArchive a(2);
  const std::uint32_t other = a.thread(0);
  a.call(
      0, "MPI_Init_thread", [](OTF2_EvtWriter*) {}, 0, 10);
  const auto receive = [&](std::uint32_t who, std::uint32_t tag, std::uint64_t compute) {
    a.call(
        who, "MPI_Recv",
        [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiRecv(w, nullptr, a.at(who), 1, 0, tag, 8); },
        compute, 400);
  };
  receive(0, 1, 90);
  receive(other, 2, 300);
  for (const std::uint32_t tag : {1u, 2u})
    a.call(
        1, "MPI_Send",
        [&](OTF2_EvtWriter* w) { OTF2_EvtWriter_MpiSend(w, nullptr, a.at(1), 0, 0, tag, 8); }, 200,
        10);
  const Trace trace = read_trace(a.close(), {.times = true, .silent_times = true});
  EXPECT_EQ(export_csv(trace, at("t.csv")).calls, calls_of(trace));
  bool second = false;
  for (const std::string& line : lines_of(at("t.csv"))) second |= line.starts_with("0,1,");
  EXPECT_TRUE(second);
}

}  // namespace
}  // namespace hakaru::trace
