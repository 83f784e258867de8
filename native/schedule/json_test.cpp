#include "native/schedule/json.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"
#include "native/schedule/stream_writer.hpp"

namespace hakaru::schedule {
namespace {

// Every kind of operation, with fields that differ from their defaults.
Schedule everything() {
  Schedule schedule;
  schedule.ranks = 6;
  schedule.program = "every \"thing\"";
  schedule.phases = {{"work", "compute"}, {"halo", "communicate"}, {"files", "io"}};
  schedule.communicators.push_back({"self", {}, true});
  schedule.communicators.push_back({"world created window 1", {{0, 1}}, false, true});
  const auto rows = split(schedule, "rows", [](std::int32_t rank) { return rank / 3; });
  schedule.communicators.push_back({"odd order", {{5, 0, 3}, {4, 2, 1}}, false});
  for (std::int32_t rank = 0; rank < 6; ++rank) {
    StreamWriter w(schedule, rank);
    const std::int32_t next = (rank + 1) % 6, row_root = rank / 3 * 3;
    w.phase("work", [&] {
      w.compute({1e9, 2.5, 1.0 / 3.0});
      w.phase("halo", [&] { w.send_receive(next, 8, (rank + 5) % 6, 8, 3); });
      w.compute({1, 2, 3, 0.5});
    });
    w.compute_seconds(1e-7);
    w.repeat(1000, [&] {
      w.repeat(2, [&] { w.wait(w.isend(next, -1 + 2, 1ull << 40)); });
      w.wait(w.start_persistent(next, 1, 0));
      w.receive((rank + 5) % 6, 1, 1ull << 40), w.receive((rank + 5) % 6, 1, 1ull << 40);
    });
    for (int i = 0; i < collectives; ++i) {
      const auto what = static_cast<Collective>(i);
      if (what != Collective::neighbour_exchange) w.collective(what, 64, rows, 2);
    }
    w.wait(w.icollective(Collective::allreduce, 8));
    w.collective_lengths(Collective::alltoall, {1, 2, 3}, rows);
    w.put(row_root, 8, rows), w.get(row_root, 8, rows), w.fence(rows);
    w.phase("files", [&] {
      w.file(Kind::file_open, 0, true), w.file(Kind::file_write, 4096, false, 1);
      w.file(Kind::file_read, 10, true), w.file(Kind::file_close, 0, true);
    });
    w.finish();
  }
  return schedule;
}

// Operations that RankWriter does not write, as a trace has them.
void add_rest(Schedule& schedule) {
  schedule.lists.push_back({0, 8, 5, 8});
  schedule.lists.push_back({1, 2});
  auto add = [&](Kind kind, auto change) {
    Operation operation;
    operation.kind = kind;
    change(operation);
    for (Stream& stream : schedule.streams) stream.push_back(operation);
  };
  const auto lists = static_cast<std::int32_t>(schedule.lists.size());
  add(Kind::collective,
      [&](Operation& o) { o.collective = Collective::neighbour_exchange, o.payload = lists - 2; });
  add(Kind::collective, [&](Operation& o) {
    o.collective = Collective::neighbour_exchange, o.payload = lists - 2, o.grid = true;
  });
  for (const Kind kind : {Kind::post, Kind::start})
    add(kind, [&](Operation& o) { o.payload = lists - 1; });
  for (const Kind kind : {Kind::complete, Kind::wait_exposure}) add(kind, [](Operation&) {});
  for (const Kind kind : {Kind::lock, Kind::flush, Kind::unlock}) {
    add(kind, [](Operation& o) { o.peer = 3, o.mode = Mode::local; });
    add(kind, [](Operation& o) { o.relative_peer = true, o.peer = -1; });
    add(kind, [](Operation&) {});
  }
  schedule.lists.push_back({3, 7});
  add(Kind::get, [&](Operation& o) {
    o.peer = 2, o.bytes = 8, o.tag = 4,
    o.payload = static_cast<std::int32_t>(schedule.lists.size()) - 1;
  });
  add(Kind::flag_wait, [](Operation& o) { o.tag = 4, o.bytes = 2; });
  add(Kind::accumulate, [](Operation& o) { o.peer = 2, o.bytes = 8, o.request = 3; });
  add(Kind::wait, [](Operation& o) { o.request = 3; });
  add(Kind::probe, [](Operation& o) { o.peer = 2, o.tag = 7, o.bytes = 8, o.phase = 1; });
  add(Kind::send, [](Operation& o) {
    o.peer = 2, o.tag = 7, o.bytes = 8, o.mode = Mode::synchronous, o.payload = 4;
  });
  const std::size_t ranks = schedule.streams.size();
  for (std::size_t i = 0; i < ranks; ++i) {
    Operation fork;
    fork.kind = Kind::fork, fork.payload = static_cast<std::int32_t>(ranks + i);
    fork.request = 4, fork.phase = 0;
    schedule.streams[i].push_back(fork);
  }
  add(Kind::wait, [](Operation& o) { o.request = 4; });
  for (std::size_t i = 0; i < ranks; ++i) {
    Operation burst;
    burst.seconds = static_cast<double>(i);
    Operation barrier;
    barrier.kind = Kind::collective, barrier.phase = 1;
    schedule.streams.push_back({burst, barrier});
  }
}

std::string written(const Schedule& schedule) {
  std::ostringstream out;
  write_json(schedule, out);
  return out.str();
}

void expect_same(const Operation& a, const Operation& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.mode, b.mode);
  EXPECT_EQ(a.collective, b.collective);
  EXPECT_EQ(a.relative_peer, b.relative_peer);
  EXPECT_EQ(a.phase, b.phase);
  EXPECT_EQ(a.peer, b.peer);
  EXPECT_EQ(a.tag, b.tag);
  EXPECT_EQ(a.communicator, b.communicator);
  EXPECT_EQ(a.request, b.request);
  EXPECT_EQ(a.payload, b.payload);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.grid, b.grid);
  EXPECT_EQ(a.persistent, b.persistent);
}

TEST(Json, NumbersOfRequestsCloseUpWhenFarApart) {
  const auto with_requests = [](const std::string& a, const std::string& b) {
    return R"({"schema":"hakaru/schedule/1","program":"","description":"","ranks":1,"phases":[],)"
           R"("communicators":[{"name":"world"}],"works":[],"lists":[],"streams":[{"ranks":[[0,0,1]],)"
           R"("operations":[{"do":"isend","peer":0,"tag":0,"bytes":1,"request":)" +
           a + R"(},{"do":"ireceive","peer":0,"tag":0,"bytes":1,"request":)" + b +
           R"(},{"do":"wait","request":)" + a + R"(},{"do":"wait","request":)" + b + "}]}]}";
  };
  const auto numbers = [](const Schedule& schedule) {
    std::vector<std::int32_t> found;
    for (const Operation& operation : schedule.streams[0]) found.push_back(operation.request);
    return found;
  };
  EXPECT_EQ(numbers(parse_json(with_requests("1000000", "7"), "test")),
            (std::vector<std::int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(numbers(parse_json(with_requests("5", "2"), "test")),
            (std::vector<std::int32_t>{5, 2, 5, 2}));
}

TEST(Json, KeepsEverything) {
  Schedule schedule = everything();
  add_rest(schedule);
  schedule.memory_bytes = 3'000'000;
  schedule.in_large_pages = 0.75;
  validate(schedule);
  const Schedule read = parse_json(written(schedule), "test");
  EXPECT_EQ(read.memory_bytes, schedule.memory_bytes);
  EXPECT_EQ(read.in_large_pages, schedule.in_large_pages);
  EXPECT_EQ(read.ranks, schedule.ranks);
  EXPECT_EQ(read.program, schedule.program);
  EXPECT_EQ(read.lists, schedule.lists);
  ASSERT_EQ(read.communicators.size(), schedule.communicators.size());
  for (std::size_t i = 0; i < read.communicators.size(); ++i) {
    EXPECT_EQ(read.communicators[i].name, schedule.communicators[i].name);
    EXPECT_EQ(read.communicators[i].groups, schedule.communicators[i].groups);
    EXPECT_EQ(read.communicators[i].self, schedule.communicators[i].self);
    EXPECT_EQ(read.communicators[i].created_windows, schedule.communicators[i].created_windows);
  }
  ASSERT_EQ(read.works.size(), schedule.works.size());
  EXPECT_EQ(read.works[0].bytes_write_allocate, 1.0 / 3.0);
  EXPECT_EQ(read.works[0].seconds, -1.0);
  EXPECT_EQ(read.works[1].seconds, 0.5);
  for (std::int32_t rank = 0; rank < schedule.ranks; ++rank) {
    SCOPED_TRACE(rank);
    ASSERT_EQ(read.stream(rank).size(), schedule.stream(rank).size());
    for (std::size_t i = 0; i < read.stream(rank).size(); ++i) {
      SCOPED_TRACE(i);
      expect_same(read.stream(rank)[i], schedule.stream(rank)[i]);
    }
  }
  EXPECT_EQ(written(read), written(schedule));
}

TEST(Json, ManyRegularRanksAreASmallFile) {
  Schedule schedule;
  schedule.ranks = 65536;
  schedule.program = "grid";
  for (std::int32_t rank = 0; rank < schedule.ranks; ++rank) {
    StreamWriter w(schedule, rank);
    const std::int32_t x = rank % 256, y = rank / 256;
    w.repeat(1000, [&] {
      w.compute({1e6, 1e6, 1e6});
      w.send_receive(x > 0 ? rank - 1 : -1, 8000, x < 255 ? rank + 1 : -1, 8000, 0);
      w.send_receive(y > 0 ? rank - 256 : -1, 8000, y < 255 ? rank + 256 : -1, 8000, 1);
      w.collective(Collective::allreduce, 8);
    });
    w.finish();
  }
  const std::string text = written(schedule);
  EXPECT_LT(text.size(), 50'000u);
  EXPECT_EQ(written(parse_json(text, "test")), text);
}

void expect_refused(const std::string& text, const std::string& words) {
  try {
    parse_json(text, "test.json");
    FAIL() << "accepted, but expected: " << words;
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Json, SaysWhatIsWrong) {
  const auto good = nlohmann::json::parse(written(everything()));
  const std::pair<const char*, std::pair<nlohmann::json, const char*>> changes[] = {
      {"/schema", {"hakaru/schedule/2", "does not say"}},
      {"/ranks", {0, "'ranks' is not a whole number from 1"}},
      {"/ranks", {1 << 25, "'ranks'"}},
      {"/ranks", {7, "rank 6: it has no stream"}},
      {"/ranks", {6.5, "'ranks'"}},
      {"/surprise", {1, "no field 'surprise'"}},
      {"/program", {1, "not a text"}},
      {"/phases", {{{"a", 1}}, "not an array"}},
      {"/phases/0/name", {"halo", "used twice"}},
      {"/works/0/flops", {-1, "work 0: 'flops'"}},
      {"/lists/0/0", {1.5, "list 0"}},
      {"/communicators/2/groups/0/0", {{0, 5, 2}, "does not come from its first to its last"}},
      {"/communicators/2/groups/0/0", {{0, 5, 0}, "does not come"}},
      {"/streams/0/ranks/0", {{0, 6, 1}, "'last'"}},
      {"/streams/0/ranks/0", {{0, 0}, "not [first, last, stride]"}},
      {"/streams/0/operations/0", {5, "stream 0, operation 0: it is not an object"}},
      {"/streams/0/operations/0/do", {"dance", "no operation 'dance'"}},
      {"/streams/0/operations/0/phase", {"none", "phase is not listed"}},
      {"/streams/0/operations/1/work", {77, "work is not listed"}},
      {"/streams/0/operations/1/flops", {77, "field that it cannot have"}},
      {"/streams/0/operations/3/bytes", {-1, "operation 3: 'bytes'"}},
      {"/streams/0/operations/3/request", {4, "not started"}},
      {"/streams/0/operations/3/mode", {"loud", "mode is not known"}},
  };
  for (const auto& [pointer, change] : changes) {
    SCOPED_TRACE(pointer);
    nlohmann::json damaged = good;
    damaged[nlohmann::json::json_pointer(pointer)] = change.first;
    expect_refused(damaged.dump(), change.second);
  }
  nlohmann::json grid = good;
  for (nlohmann::json& operation : grid["streams"][0]["operations"])
    if (operation["do"] == "allreduce") operation["grid"] = true;
  expect_refused(grid.dump(), "on a grid and no exchange between neighbours");
  for (nlohmann::json& operation : grid["streams"][0]["operations"])
    if (operation["do"] == "allreduce") operation["grid"] = 1;
  expect_refused(grid.dump(), "'grid' is neither true nor false");
  nlohmann::json memory = good;
  memory["memory_bytes"] = 0;
  expect_refused(memory.dump(), "memory_bytes");
  nlohmann::json pages = good;
  pages["in_large_pages"] = 1.5;
  expect_refused(pages.dump(), "'in_large_pages' is a share");
  const std::string text = good.dump(), start = R"("do":"isend")";
  const auto instead = [&](const std::string& other) {
    return std::string(text).replace(text.find(start), start.size(), other);
  };
  expect_refused(instead(start + R"(,"persistent":1)"), "'persistent' is neither true nor false");
  expect_refused(instead(R"("do":"ireceive","persistent":true)"), "a field that it cannot have");
  nlohmann::json twice = good;
  twice["streams"].push_back(twice["streams"][0]);
  expect_refused(twice.dump(), "has another stream");
  expect_refused("", "the file: parse error at line 1");
  expect_refused("[]", "does not say");
  std::string deep =
      R"({"schema":"hakaru/schedule/1","program":"","description":"","ranks":1,"phases":[],)"
      R"("communicators":[{"name":"world"}],"works":[],"lists":[],"streams":[{"ranks":[[0,0,1]],"operations":)";
  for (int i = 0; i < 100'000; ++i) deep += R"([{"do":"repeat","times":2,"operations":)";
  deep += "[]";
  for (int i = 0; i < 100'000; ++i) deep += "}]";
  expect_refused(deep + "}]}", "nested deeper");
}

// The schema and this reader say the same of the examples.
TEST(Json, TellsTheExamplesOfTheSchemaApart) {
  int valid = 0, invalid = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HAKARU_EXAMPLES)) {
    const std::string name = entry.path().filename();
    SCOPED_TRACE(name);
    if (name.rfind("schedule.valid", 0) == 0) {
      EXPECT_EQ(written(read_json(entry.path())), base::read_file(entry.path()));
      ++valid;
    } else if (name.rfind("schedule.invalid", 0) == 0) {
      EXPECT_THROW(read_json(entry.path()), base::UserError);
      ++invalid;
    }
  }
  EXPECT_GE(valid, 2);
  EXPECT_GE(invalid, 5);
  EXPECT_THROW(read_json(HAKARU_EXAMPLES "/none.json"), base::UserError);
}

TEST(Json, AnyDamageIsAClearErrorOrAValidSchedule) {
  Schedule schedule = everything();
  add_rest(schedule);
  const std::string good = written(schedule);
  std::mt19937 random(20261121);
  auto below = [&](std::size_t limit) { return random() % limit; };
  const std::string pieces[] = {
      "-1", "99999999999999999999", "1e308", "null", "[", "}", "\"", "0", "16777216", ",", "true",
      "{}"};
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    if (round % 3 == 0) text.resize(below(text.size()));
    for (std::size_t changes = 1 + below(3); round % 3 && changes > 0; --changes) {
      const std::size_t place = below(text.size());
      if (round % 3 == 1)
        text[place] = static_cast<char>(below(256));
      else
        text.replace(place, below(4), pieces[below(std::size(pieces))]);
    }
    try {
      const Schedule read = parse_json(text, "fuzz");
      for (std::int32_t rank = 0; rank < read.ranks && rank < 8; ++rank) {
        Cursor cursor;
        int steps = 0;
        while (cursor.next(read.stream(rank)) && ++steps < 10'000) {
        }
      }
    } catch (const base::UserError& error) {
      ++refused;
      EXPECT_EQ(error.code(), base::ExitCode::usage);
    }
  }
  EXPECT_GT(refused, 2000);
}

TEST(Json, TellsHowColdComputingLeftCaches) {
  Schedule schedule;
  schedule.ranks = 1;
  StreamWriter w(schedule, 0);
  w.compute_seconds(1e-4), w.compute_seconds(1e-7);
  w.finish();
  schedule.streams[0][0].cold_s = 1.25e-7f;
  const std::string text = written(schedule);
  const Stream read = parse_json(text, "test").streams[0];
  EXPECT_FLOAT_EQ(read[0].cold_s, 1.25e-7f);
  EXPECT_LT(read[1].cold_s, 0) << "nobody says";
  nlohmann::json damaged = nlohmann::json::parse(text);
  damaged["streams"][0]["operations"][0]["cold_s"] = -1e-9;
  expect_refused(damaged.dump(), "'cold_s' is not a number of at least 0");
}

}  // namespace
}  // namespace hakaru::schedule
