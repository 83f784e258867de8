// Properties on random schedules, each from a seed that the failure names.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "native/replay/engine/collectives/algorithm.hpp"
#include "native/replay/engine/test_support.hpp"
#include "native/schedule/writer.hpp"

namespace hakaru::replay::test {
namespace {

struct Message {
  std::int32_t from, to, tag;
  std::uint64_t bytes;
};

// Free of deadlock by construction: a sequence of events in one global order, each a computation or
// a message that is started (isend, ireceive) and is waited for at a later event of the sequence,
// or a collective of all.
Schedule random_schedule(std::uint32_t seed, bool collectives = true) {
  std::mt19937 random(seed);
  const auto below = [&random](std::uint32_t n) { return static_cast<std::int32_t>(random() % n); };
  const std::int32_t ranks = 2 + below(7);
  std::vector<Stream> streams(static_cast<std::size_t>(ranks));
  std::vector<std::vector<std::int32_t>> open(streams.size());
  std::vector<std::int32_t> next(streams.size(), 0);
  const auto wait_some = [&](std::size_t rank, bool everything) {
    while (!open[rank].empty() && (everything || below(2) == 0)) {
      const auto at =
          static_cast<std::size_t>(below(static_cast<std::uint32_t>(open[rank].size())));
      streams[rank].push_back(wait(open[rank][at]));
      open[rank].erase(open[rank].begin() + static_cast<std::ptrdiff_t>(at));
    }
  };
  for (int event = 0; event < 60; ++event) {
    const auto a = static_cast<std::size_t>(below(static_cast<std::uint32_t>(ranks)));
    const auto b = static_cast<std::size_t>(below(static_cast<std::uint32_t>(ranks)));
    const int kind = below(collectives ? 11 : 10);
    if (kind < 3) {
      streams[a].push_back(compute(below(1000) * 0.037));
    } else if (kind < 9 || a == b) {
      const Message m{static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), below(2),
                      static_cast<std::uint64_t>(below(2) == 0 ? below(100) : below(3000))};
      Operation start = isend(m.to, m.bytes, next[a]++, m.tag);
      if (below(6) == 0) start.mode = Mode::synchronous;
      streams[a].push_back(start);
      open[a].push_back(start.request);
      streams[b].push_back(ireceive(m.from, m.bytes, next[b]++, m.tag));
      open[b].push_back(next[b] - 1);
    } else if (kind == 9) {
      // A blocking pair; what is open is not needed for it to end.
      const auto bytes = static_cast<std::uint64_t>(below(3000));
      streams[a].push_back(send(static_cast<std::int32_t>(b), bytes, 5));
      streams[b].push_back(receive(static_cast<std::int32_t>(a), bytes, 5));
    } else {
      const Collective what = below(2) == 0 ? Collective::allreduce : Collective::alltoall;
      const auto bytes = static_cast<std::uint64_t>(below(500));
      for (Stream& stream : streams) stream.push_back(collective(what, bytes));
    }
    wait_some(a, false);
  }
  for (std::size_t rank = 0; rank < streams.size(); ++rank) wait_some(rank, true);
  return of(streams);
}

nlohmann::json with_latency(double latency_s) {
  nlohmann::json document = flat_document();
  document["levels"]["switch"]["latency_s"] = latency_s;
  return document;
}

constexpr std::uint32_t seeds = 150;

// The events are in one order and every wait comes after both sides have started, so that a blocked
// rank waits only for events before its own ...
TEST(Properties, RandomSchedulesProgress) {
  std::size_t progressed = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed)
    progressed += error_of([&] { check(random_schedule(seed)); }).empty() ? 1 : 0;
  EXPECT_EQ(progressed, seeds);
}

TEST(Properties, MoreLatencyNeverMakesARunFaster) {
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const Schedule schedule = random_schedule(seed);
    Result before = run(schedule, with_latency(0));
    for (const double latency_s : {0.1, 1.0, 7.0, 40.0}) {
      Result after = run(schedule, with_latency(latency_s));
      for (std::size_t rank = 0; rank < after.ranks.size(); ++rank)
        ASSERT_GE(finish(after, rank), finish(before, rank) * (1 - 1e-12))
            << "seed " << seed << " latency " << latency_s;
      before = std::move(after);
    }
  }
}

TEST(Properties, RelabellingRanksOnAUniformNetworkChangesNothing) {
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const Schedule schedule = random_schedule(seed, false);
    std::vector<std::int32_t> name(schedule.streams.size());
    std::iota(name.begin(), name.end(), 0);
    std::shuffle(name.begin(), name.end(), std::mt19937(seed + 1000));
    Schedule renamed = schedule;
    for (std::size_t rank = 0; rank < name.size(); ++rank) {
      Stream stream = schedule.streams[rank];
      for (Operation& operation : stream)
        if (operation.peer >= 0) operation.peer = name[static_cast<std::size_t>(operation.peer)];
      renamed.streams[static_cast<std::size_t>(name[rank])] = stream;
    }
    const Result a = run(schedule), b = run(renamed);
    for (std::size_t rank = 0; rank < name.size(); ++rank)
      ASSERT_EQ(finish(a, rank), finish(b, static_cast<std::size_t>(name[rank])))
          << "seed " << seed;
  }
}

TEST(Properties, BothEnginesAgreeWhereNoLinkIsShared) {
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const Schedule schedule = random_schedule(seed);
    const Result a = run(schedule);
    for (const char* sharing : {"first_come", "max_min"}) {
      const Result b =
          run(schedule, flat_document(), {{"engine", "time_ordered"}, {"sharing", sharing}});
      for (std::size_t rank = 0; rank < a.ranks.size(); ++rank)
        ASSERT_NEAR(finish(a, rank), finish(b, rank), 1e-9 * finish(a, rank))
            << "seed " << seed << " " << sharing;
    }
  }
}

// Eight rounds of the schedule in a phase: enough for sends and receives to be paired.
Schedule repeated(Schedule schedule) {
  schedule.phases = {{"round", "communicate"}};
  for (Stream& stream : schedule.streams) {
    for (Operation& operation : stream) operation.phase = 0;
    stream = looped(stream, 8);
  }
  schedule::validate(schedule);
  return schedule;
}

void expect_same(const Result& a, const Result& b, const std::string& where) {
  ASSERT_EQ(a.phase_s, b.phase_s) << where;
  for (std::size_t rank = 0; rank < a.ranks.size(); ++rank) {
    const RankResult &one = a.ranks[rank], &other = b.ranks[rank];
    ASSERT_EQ(std::tie(one.finish_s, one.compute_s, one.overhead_s, one.runtime_s, one.waiting_s,
                       one.messages, one.bytes),
              std::tie(other.finish_s, other.compute_s, other.overhead_s, other.runtime_s,
                       other.waiting_s, other.messages, other.bytes))
        << where << " rank " << rank;
  }
}

// Networks of every kind for eight ranks; what ranks of a node share, links, and nothing.
std::vector<nlohmann::json> networks() {
  nlohmann::json near = flat_document()["levels"]["switch"];
  near["latency_s"] = 3;
  near["eager_limit_bytes"] = 1000;
  const auto made = [&near](const char* model, const char* part, const nlohmann::json& content) {
    nlohmann::json document = flat_document();
    document["model"] = model;
    document["levels"]["core"] = near;
    document[part] = content;
    return document;
  };
  const nlohmann::json link = {{"gap_per_byte_s", 2 * G}, {"gap_s", 0.1}};
  return {
      flat_document(), made("hierarchy", "placement", {{"cores_per_socket", 2}}),
      made("torus", "topology", {{"dimensions", {4, 2}}, {"hop_latency_s", 0.3}, {"link", link}}),
      made("fat_tree", "topology",
           {{"down", {2, 2}}, {"up", {1}}, {"ranks_per_node", 2}, {"link", link}}),
      made("crossbar", "topology", {{"link", link}})};
}

// What records takes every operation through point_to_point.hpp; what does not, runs ahead.
TEST(Properties, RunningAheadChangesNothing) {
  for (const nlohmann::json& network : networks())
    for (const char* sharing : {"first_come", "max_min"})
      for (std::uint32_t seed = 0; seed < seeds; ++seed) {
        const Schedule schedule = repeated(random_schedule(seed));
        const Result ahead = run(schedule, network, {{"sharing", sharing}});
        const Result recorded =
            run(schedule, network, {{"sharing", sharing}, {"critical_path", true}});
        expect_same(ahead, recorded,
                    fmt::format("{} {} seed {}", network["model"].dump(), sharing, seed));
      }
}

// Two calls in a row by ranks that come at their own times, with messages between them; of all
// ranks, and of the even and the odd ones.
Schedule in_lockstep(Collective what, std::int32_t ranks, std::uint64_t bytes) {
  Schedule schedule = of(std::vector<Stream>(static_cast<std::size_t>(ranks)));
  const std::uint32_t halves =
      schedule::split(schedule, "halves", [](std::int32_t rank) { return rank % 2; });
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    Stream& stream = schedule.streams[static_cast<std::size_t>(rank)];
    stream = {compute(((rank * 7) % 5) * 0.37), collective(what, bytes), collective(what, bytes)};
    if (rank % 2 == 0 && rank + 1 < ranks) stream.push_back(send(rank + 1, 20));
    if (rank % 2 == 1) stream.push_back(receive(rank - 1, 20));
    stream.push_back(compute(((rank * 3) % 4) * 0.11));
    stream.push_back(on(collective(what, bytes), halves));
    stream.push_back(collective(what, bytes));
  }
  schedule::validate(schedule);
  return schedule;
}

// What records takes rank after rank.
void expect_lockstep_changes_nothing(const nlohmann::json& asked) {
  for (const Collective what :
       {Collective::barrier, Collective::allreduce, Collective::alltoall, Collective::allgather})
    for (const Algorithm& algorithm : algorithms(what))
      for (const std::int32_t ranks : {2, 3, 6, 8, 13})
        for (const std::uint64_t bytes : {0U, 8U, 90U, 3000U}) {
          if (what == Collective::barrier && bytes > 0) continue;
          nlohmann::json options = asked;
          options["collectives"] = {{schedule::name_of(what), {{"algorithm", algorithm.name}}}};
          const Schedule schedule = in_lockstep(what, ranks, bytes);
          const Result together = run(schedule, flat_document(), options);
          options["critical_path"] = true;
          expect_same(together, run(schedule, flat_document(), options),
                      fmt::format("{} {} of {} ranks, {} B", schedule::name_of(what),
                                  algorithm.name, ranks, bytes));
        }
}

TEST(Properties, CollectivesInLockstepChangeNothing) {
  expect_lockstep_changes_nothing(nlohmann::json::object());
}

// Also where the noise of a step is drawn again, since its messages are no eager ones.
TEST(Properties, CollectivesInLockstepAreStruckAsOthersAre) {
  const nlohmann::json detours = {
      {"kind", "detours"},
      {"calls", true},
      {"detours",
       {{{"rate_per_s", 0.1}, {"detour_s", 2}}, {{"rate_per_s", 0.01}, {"detour_s", 40}}}}};
  expect_lockstep_changes_nothing({{"noise", detours}});
  expect_lockstep_changes_nothing(
      {{"noise", {{"kind", "periodic"}, {"period_s", 9}, {"detour_s", 2}, {"calls", true}}}});
  const Schedule schedule = in_lockstep(Collective::allreduce, 13, 8);
  EXPECT_GT(run(schedule, flat_document(), {{"noise", detours}}).makespan_s,
            run(schedule, flat_document()).makespan_s);
}

// Longest path over the operations: one node each, edges along a rank and between the sides of a
// message, computed by repeated relaxation.
double longest_path(const Schedule& schedule) {
  const std::size_t ranks = schedule.streams.size();
  std::vector<std::vector<double>> end(ranks);
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>,
           std::vector<std::pair<std::size_t, std::size_t>>>
      sends, receives;
  for (std::size_t r = 0; r < ranks; ++r) {
    end[r].assign(schedule.streams[r].size(), 0.0);
    for (std::size_t i = 0; i < schedule.streams[r].size(); ++i) {
      const Operation& o = schedule.streams[r][i];
      if (o.kind == Kind::send || o.kind == Kind::isend)
        sends[{r, o.peer, o.tag}].push_back({r, i});
      if (o.kind == Kind::receive || o.kind == Kind::ireceive)
        receives[{o.peer, r, o.tag}].push_back({r, i});
    }
  }
  // Where the end of an operation takes effect: itself when it blocks, else its wait.
  const auto effect = [&](std::pair<std::size_t, std::size_t> at) {
    const Stream& stream = schedule.streams[at.first];
    if (stream[at.second].kind == Kind::send || stream[at.second].kind == Kind::receive) return at;
    std::size_t i = at.second;
    while (stream[i].kind != Kind::wait || stream[i].request != stream[at.second].request) ++i;
    return std::pair{at.first, i};
  };
  const auto before = [&](std::pair<std::size_t, std::size_t> at) {
    return at.second == 0 ? 0.0 : end[at.first][at.second - 1];
  };
  for (bool changed = true; changed;) {
    changed = false;
    const auto raise = [&](std::pair<std::size_t, std::size_t> at, double time) {
      if (time > end[at.first][at.second]) {
        end[at.first][at.second] = time;
        changed = true;
      }
    };
    for (std::size_t r = 0; r < ranks; ++r)
      for (std::size_t i = 0; i < end[r].size(); ++i) {
        const Operation& o = schedule.streams[r][i];
        raise({r, i}, before({r, i}) + (o.kind == Kind::compute ? o.seconds : 0.0));
      }
    for (const auto& [key, list] : sends)
      for (std::size_t n = 0; n < list.size(); ++n) {
        const auto from = list[n], to = receives[key][n];
        raise(effect(to), before(from));
        const Operation& o = schedule.streams[from.first][from.second];
        if (o.bytes > 100 || o.mode == Mode::synchronous) raise(effect(from), before(to));
      }
  }
  double longest = 0;
  for (const std::vector<double>& one : end)
    longest = std::max(longest, one.empty() ? 0.0 : one.back());
  return longest;
}

TEST(Properties, AnIdealNetworkGivesTheCriticalPathOfComputing) {
  const nlohmann::json ideal = {
      {"model", "loggp"}, {"levels", {{"switch", {{"latency_s", 0}, {"eager_limit_bytes", 100}}}}}};
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const Schedule schedule = random_schedule(seed, false);
    const double expected = longest_path(schedule);
    const Result result = run(schedule, ideal, {{"critical_path", true}});
    ASSERT_NEAR(result.makespan_s, expected, 1e-9) << "seed " << seed;
    ASSERT_NEAR(result.critical_path.compute_s, expected, 1e-9) << "seed " << seed;
  }
}

TEST(Properties, TheCriticalPathAddsUpToTheMakespan) {
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const Result result = run(random_schedule(seed), flat_document(), {{"critical_path", true}});
    const CriticalPath& path = result.critical_path;
    ASSERT_NEAR(path.compute_s + path.overhead_s + path.runtime_s + path.file_s + path.latency_s +
                    path.bandwidth_s + path.contention_s,
                result.makespan_s, 1e-9 * result.makespan_s)
        << "seed " << seed;
    ASSERT_NEAR(std::accumulate(path.phase_s.begin(), path.phase_s.end(), 0.0), result.makespan_s,
                1e-9 * result.makespan_s);
  }
}

TEST(CriticalPath, OfAPingPong) {
  const Result result = run(
      of({{compute(4), send(1, 81), receive(1, 81)}, {compute(1), receive(0, 81), send(0, 81)}}),
      flat_document(), {{"critical_path", true}});
  EXPECT_DOUBLE_EQ(result.critical_path.compute_s, 4);
  EXPECT_DOUBLE_EQ(result.critical_path.overhead_s, 2 * (o_s + o_r));
  EXPECT_DOUBLE_EQ(result.critical_path.latency_s, 2 * L);
  EXPECT_DOUBLE_EQ(result.critical_path.bandwidth_s, 2 * 80 * G);
  EXPECT_NEAR(result.critical_path.contention_s, 0, 1e-9);
  EXPECT_EQ(result.critical_path.messages, 2U);
}

TEST(CriticalPath, OfALateReceiver) {
  // Rendezvous: the path goes through the receiver's computation, then 2 L (answer and transfer).
  const Result result = run(of({{send(1, 1001)}, {compute(100), receive(0, 1001)}}),
                            flat_document(), {{"critical_path", true}});
  EXPECT_DOUBLE_EQ(result.critical_path.compute_s, 100);
  EXPECT_DOUBLE_EQ(result.critical_path.latency_s, 2 * L);
  EXPECT_DOUBLE_EQ(result.critical_path.bandwidth_s, 1000 * G);
}

}  // namespace
}  // namespace hakaru::replay::test
