#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "native/replay/engine/collectives/algorithm.hpp"
#include "native/replay/engine/test_support.hpp"
#include "native/replay/tool/algorithms.hpp"
#include "native/replay/tool/generate.hpp"
#include "native/replay/tool/input.hpp"
#include "native/replay/tool/output.hpp"
#include "native/replay/tool/serve.hpp"
#include "native/schedule/json.hpp"

namespace hakaru::replay::test {
namespace {

TEST(Algorithms, EveryRowIsToldWithWhatLibrariesCallIt) {
  std::size_t rows = 0;
  for (int kind = 0; kind < schedule::collectives; ++kind)
    rows += algorithms(static_cast<Collective>(kind)).size();
  const nlohmann::json told = algorithms_json();
  EXPECT_EQ(told.size(), rows);
  const auto spread = std::find_if(told.begin(), told.end(), [](const nlohmann::json& one) {
    return one["name"] == "simple_spread";
  });
  ASSERT_NE(spread, told.end());
  EXPECT_EQ((*spread)["openmpi"], nlohmann::json::parse(R"([{"number": 1, "name": "linear"},
                                                            {"number": 4, "name": "linear_sync"}])"));
  EXPECT_EQ((*spread)["mpich"], "scattered");
}

TEST(Generate, WhatIsGeneratedIsValidAndProgresses) {
  for (const char* text :
       {"pingpong:bytes=9,times=3", "allreduce:ranks=7", "barriers:ranks=5,times=4",
        "halo2d:ranks=12,steps=2,compute_s=0.5", "halo2d:ranks=7", "gather_reverse:ranks=40",
        "broadcast:ranks=3", "scan:ranks=4", "alltoall"}) {
    const Schedule schedule = generate(text);
    EXPECT_EQ(error_of([&] { schedule::validate(schedule); }), "") << text;
    EXPECT_EQ(error_of([&] { check(schedule); }), "") << text;
  }
}

TEST(Generate, Halo) {
  // Four sends, then four receives that have arrived meanwhile, in the order in which they were
  // posted.
  const Result result = run(generate("halo2d:ranks=16,steps=3,bytes=1,compute_s=100"));
  EXPECT_EQ(result.messages, 16U * 3 * 4);
  EXPECT_DOUBLE_EQ(result.makespan_s, 3 * (4 * o_s + (o_s + L - 4 * o_s) + 4 * o_r + 100));
}

TEST(Generate, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"nothing", "pingpong:byte=3", "pingpong:bytes", "pingpong:bytes=x",
                           "allreduce:ranks=0", "halo2d:ranks=1", "allreduce:ranks=1.5", "compute"})
    EXPECT_NE(error_of([&] { generate(text); }), "") << text;
}

TEST(Input, AScheduleFromAFileIsTheSame) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "hakaru_replay_input.json";
  const Schedule schedule = generate("halo2d:ranks=16,steps=3,bytes=1000");
  {
    std::ofstream file(path);
    schedule::write_json(schedule, file);
  }
  const Result a = run(schedule), b = run(read_input(path.string()).schedule);
  for (std::size_t rank = 0; rank < 16; ++rank) EXPECT_EQ(finish(a, rank), finish(b, rank));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_NE(error_of([&] { read_input(path.string()); }), "");
  std::filesystem::remove(path);
  EXPECT_NE(error_of([&] { read_input(path.string()); }), "");
}

TEST(Input, NobodyIsHeldWhereAProgramReliesOnBuffering) {
  const nlohmann::json network = {{"levels", {{"switch", {{"attended_above_bytes", 10}}}}}};
  Input safe{of({{send(1, 20), receive(1, 20)}, {receive(0, 20), send(0, 20)}}), {}};
  EXPECT_EQ(network_for(safe, network), network);
  Input both{of({{send(1, 20), receive(1, 20)}, {send(0, 20), receive(0, 20)}}), {}};
  EXPECT_TRUE(network_for(both, network)["levels"]["switch"].empty());
}

TEST(Input, PackingThatNobodyPricesIsSaid) {
  schedule::Schedule schedule = generate("halo2d:ranks=4,steps=1,bytes=8");
  nlohmann::json network = {{"model", "loggp"}, {"levels", {{"switch", {{"latency_s", 1e-6}}}}}};
  EXPECT_EQ(unpriced(operations_with_gaps(schedule), network), "");
  for (schedule::Operation& operation : schedule.streams[0])
    if (operation.kind == schedule::Kind::isend || operation.kind == schedule::Kind::send)
      operation.payload = 8;
  EXPECT_NE(unpriced(operations_with_gaps(schedule), network).find("does not price it"),
            std::string::npos);
  network["levels"]["switch"]["packing"] = {
      {{"piece_bytes", 8}, {"bytes", 1024}, {"s_per_byte", 1e-10}}};
  EXPECT_EQ(unpriced(operations_with_gaps(schedule), network), "");
}

TEST(Serve, AnswersEachQuestionAsOneRunWould) {
  Input input{generate("halo2d:ranks=4,steps=3,bytes=8,compute_s=1"), {}};
  nlohmann::json near = flat_document(), far = flat_document(), wrong = flat_document();
  far["levels"]["switch"]["latency_s"] = 100;
  wrong["levels"]["switch"].erase("latency_s");
  std::istringstream questions(
      nlohmann::json{{"network", near}}.dump() + "\n" + nlohmann::json{{"network", wrong}}.dump() +
      "\nno question\n" + nlohmann::json{{"network", far}, {"options", 3}}.dump() + "\n" +
      nlohmann::json{{"network", far}}.dump() + "\n" +
      nlohmann::json{{"network", near}, {"options", {{"compute_factor", 2}}}}.dump() + "\n");
  std::ostringstream answers;
  serve(input, {}, questions, answers);
  std::vector<nlohmann::json> lines;
  std::istringstream told(answers.str());
  for (std::string line; std::getline(told, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 6U);
  const auto alone = [&](const nlohmann::json& network, const nlohmann::json& options) {
    return run(input.schedule, network, options).makespan_s;
  };
  EXPECT_EQ(lines[0]["makespan_s"], alone(near, nlohmann::json::object()));
  for (const int at : {1, 2, 3}) EXPECT_EQ(lines[at]["code"], 2) << lines[at].dump();
  EXPECT_NE(lines[1]["problem"].get<std::string>().find("latency_s"), std::string::npos);
  EXPECT_EQ(lines[4]["makespan_s"], alone(far, nlohmann::json::object()));
  EXPECT_EQ(lines[5]["makespan_s"], alone(near, {{"compute_factor", 2}}));
  EXPECT_GT(lines[4]["makespan_s"], lines[0]["makespan_s"]);
}

TEST(Output, HoldsWhatTheDocumentSays) {
  Schedule schedule = generate("pingpong:bytes=81");
  schedule.phases = {{"talk", "communicate"}};
  for (Stream& stream : schedule.streams)
    for (Operation& operation : stream) operation.phase = 0;
  const Result result = run(schedule, flat_document(), {{"critical_path", true}});
  const nlohmann::json out = to_json(result, schedule, {}, true);
  EXPECT_DOUBLE_EQ(out["makespan_s"], 2 * (o_s + 80 * G + L + o_r));
  EXPECT_EQ(out["messages"], 2);
  EXPECT_EQ(out["rank_results"].size(), 2U);
  EXPECT_DOUBLE_EQ(out["rank_results"][0]["phases"][0], out["makespan_s"]);
  EXPECT_DOUBLE_EQ(out["critical_path"]["kinds"]["latency"], 2 * L);
  EXPECT_NEAR(out["critical_path"]["phases"]["talk"].get<double>(), out["makespan_s"].get<double>(),
              1e-9);
  double sum = 0;
  for (const char* part : {"compute", "overhead", "runtime", "waiting", "file"})
    sum += out["breakdown"][part]["mean"].get<double>();
  EXPECT_DOUBLE_EQ(sum, out["breakdown"]["finish"]["mean"]);
}

}  // namespace
}  // namespace hakaru::replay::test
