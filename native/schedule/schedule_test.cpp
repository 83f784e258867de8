#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>

#include "native/base/require.hpp"
#include "native/schedule/slice.hpp"
#include "native/schedule/stream_index.hpp"
#include "native/schedule/stream_writer.hpp"

namespace hakaru::schedule {
namespace {

Schedule empty(std::int32_t ranks) {
  Schedule schedule;
  schedule.ranks = ranks;
  schedule.program = "example";
  schedule.phases = {{"work", "compute"}, {"halo", "communicate"}};
  return schedule;
}

Schedule write(std::int32_t ranks, const std::function<void(RankWriter&)>& body) {
  Schedule schedule = empty(ranks);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    StreamWriter writer(schedule, rank);
    body(writer);
    writer.finish();
  }
  return schedule;
}

std::vector<Operation> unfolded(const Schedule& schedule, std::int32_t rank) {
  std::vector<Operation> operations;
  Cursor cursor;
  while (const Operation* operation = cursor.next(schedule.stream(rank)))
    operations.push_back(*operation);
  return operations;
}

void expect_refused(const Schedule& schedule, const std::string& words) {
  try {
    validate(schedule);
    FAIL() << "accepted, but expected: " << words;
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(RankWriter, PartsOfFilesHaveThePiecesOfSharedFiles) {
  const std::uint64_t largest = std::uint64_t{1} << 30;
  const Schedule schedule = write(1, [&](RankWriter& w) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, largest, 2 * largest + 3})
      w.file_part(Kind::file_write, bytes);
  });
  std::vector<std::uint64_t> pieces;
  for (const Operation& operation : unfolded(schedule, 0)) pieces.push_back(operation.bytes);
  EXPECT_EQ(pieces, (std::vector<std::uint64_t>{0, largest, largest, largest, 3}));
}

Schedule two_halos_in_a_loop() {
  return write(2, [](RankWriter& w) {
    w.collective(Collective::barrier, 0);
    w.repeat(3, [&] {
      w.phase("work", [&] { w.compute_seconds(1.0); });
      w.repeat(2, [&] {
        w.phase("halo", [&] { w.send_receive(1 - w.rank(), 8, 1 - w.rank(), 8, 1); });
      });
      w.repeat(5, [&] { w.compute_seconds(0.5); });
    });
  });
}

TEST(OnlyPhase, KeepsWhatLiesInsideWithItsLoops) {
  const Schedule whole = two_halos_in_a_loop();
  EXPECT_EQ(occurrences(whole, "halo"), 6u);
  const Schedule part = only_phase(whole, "halo");
  const auto all = unfolded(whole, 1), kept = unfolded(part, 1);
  std::vector<Operation> wanted;
  bool inside = false;
  for (const Operation& operation : all) {
    if (operation.kind == Kind::phase_begin && operation.phase == 1) inside = true;
    if (inside) wanted.push_back(operation);
    if (operation.kind == Kind::phase_end && operation.phase == 1) inside = false;
  }
  ASSERT_EQ(kept.size(), wanted.size());
  ASSERT_EQ(kept.size(), 6u * 5u);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].kind, wanted[i].kind);
}

TEST(OnlyPhase, SaysWhyThereIsNone) {
  const Schedule whole = two_halos_in_a_loop();
  EXPECT_THROW(only_phase(whole, "nonsense"), base::UserError);
  const Schedule uneven = write(2, [](RankWriter& w) {
    w.phase("work", [&] { w.compute_seconds(1.0); });
    if (w.rank() == 1) w.phase("work", [&] { w.compute_seconds(1.0); });
  });
  EXPECT_THROW(only_phase(uneven, "work"), base::UserError);
  const Schedule open = write(2, [](RankWriter& w) {
    const auto request = w.ireceive(1 - w.rank(), 1, 8);
    w.send(1 - w.rank(), 1, 8);
    w.phase("halo", [&] { w.wait(request); });
  });
  EXPECT_THROW(only_phase(open, "halo"), base::UserError);
}

TEST(StreamWriter, RingOfAnySizeIsOneStream) {
  const Schedule ring = write(1000, [](RankWriter& w) {
    w.isend((w.rank() + 1) % w.ranks(), 5, 8);
    const auto request = w.ireceive((w.rank() + w.ranks() - 1) % w.ranks(), 5, 8);
    w.wait(0), w.wait(request);
  });
  validate(ring);
  EXPECT_EQ(ring.streams.size(), 1u);
  for (const std::int32_t rank : {0, 1, 500, 999}) {
    const auto operations = unfolded(ring, rank);
    EXPECT_EQ(peer_of(operations[0], rank, 1000), (rank + 1) % 1000);
    EXPECT_EQ(peer_of(operations[1], rank, 1000), (rank + 999) % 1000);
  }
}

TEST(StreamWriter, WorkersOfOneMasterShareAStreamThatAlsoHasNeighbours) {
  const Schedule schedule = write(50, [](RankWriter& w) {
    if (w.rank() == 0) {
      for (int other = 1; other < w.ranks(); ++other) w.receive(other, 1, 8);
      return;
    }
    // Worker pairs (1, 2), (3, 4), ... : an odd one has its partner above.
    w.send_receive(w.rank() % 2 ? w.rank() + 1 : w.rank() - 1, 16,
                   w.rank() % 2 ? w.rank() + 1 : w.rank() - 1, 16, 2);
    w.send(0, 1, 8);
  });
  EXPECT_EQ(schedule.streams.size(),
            4u);  // master, odd, even, and 49, whose partner is beyond the end
  for (std::int32_t rank = 1; rank < 49; ++rank) {
    const auto operations = unfolded(schedule, rank);
    ASSERT_EQ(operations.size(), 4u);
    EXPECT_EQ(peer_of(operations[1], rank, 50), rank % 2 ? rank + 1 : rank - 1);
    EXPECT_EQ(peer_of(operations[3], rank, 50), 0);
  }
}

TEST(StreamIndex, GridsAndGraphsShareNoStream) {
  Schedule schedule = empty(3);
  schedule.lists = {{}};
  Operation exchange;
  exchange.kind = Kind::collective;
  exchange.collective = Collective::neighbour_exchange;
  exchange.payload = 0;
  Operation on_grid = exchange;
  on_grid.grid = true;
  StreamIndex index;
  EXPECT_EQ(index.place(schedule, 0, {exchange}), 0u);
  EXPECT_EQ(index.place(schedule, 1, {on_grid}), 1u);
  EXPECT_EQ(index.place(schedule, 2, {exchange}), 0u);
}

TEST(StreamWriter, EveryPeerIsKeptWhateverIsShared) {
  // Butterfly: neither distances nor ranks are common to all.
  const std::int32_t ranks = 64;
  const Schedule schedule = write(ranks, [&](RankWriter& w) {
    for (std::int32_t bit = 1; bit < ranks; bit *= 2)
      w.send_receive(w.rank() ^ bit, 8, w.rank() ^ bit, 8, bit);
  });
  validate(schedule);
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const auto operations = unfolded(schedule, rank);
    for (std::size_t round = 0; round < 6; ++round)
      EXPECT_EQ(peer_of(operations[3 * round], rank, ranks), rank ^ (1 << round));
  }
}

TEST(StreamWriter, GridOfManyRanksIsNineStreams) {
  const std::int32_t side = 64;
  const Schedule schedule = write(side * side, [&](RankWriter& w) {
    const std::int32_t x = w.rank() % side, y = w.rank() / side;
    w.repeat(100, [&] {
      if (x > 0) w.send(w.rank() - 1, 0, 8);
      if (x + 1 < side) w.receive(w.rank() + 1, 0, 8);
      if (y > 0) w.send(w.rank() - side, 1, 8);
      if (y + 1 < side) w.receive(w.rank() + side, 1, 8);
    });
  });
  validate(schedule);
  EXPECT_EQ(schedule.streams.size(), 9u);
}

TEST(StreamWriter, FoldsLoopsAndNamesPhases) {
  const Schedule schedule = write(2, [](RankWriter& w) {
    w.repeat(3, [&] {
      w.phase("work", [&] { w.compute({2, 16, 24}); });
      w.repeat(2, [&] { w.collective(Collective::allreduce, 8); });
      w.repeat(0, [&] { w.collective(Collective::barrier, 0); });
      w.repeat(5, [] {});
    });
    w.compute_seconds(0.25);
  });
  validate(schedule);
  ASSERT_EQ(schedule.streams.size(), 1u);
  EXPECT_EQ(schedule.works.size(), 1u);
  const auto operations = unfolded(schedule, 1);
  ASSERT_EQ(operations.size(), 3u * (3 + 2) + 1);
  EXPECT_EQ(operations[1].kind, Kind::compute);
  EXPECT_EQ(operations[1].phase, 0);
  EXPECT_EQ(operations[3].phase, no_phase);
  EXPECT_EQ(operations.back().seconds, 0.25);
  EXPECT_EQ(schedule.streams[0].size(), 1u + 3 + 3 + 1 + 1);
}

TEST(StreamWriter, ReusesRequestsAfterTheirWait) {
  const Schedule schedule = write(2, [](RankWriter& w) {
    w.repeat(4, [&] {
      const auto first = w.ireceive(1 - w.rank(), 0, 8), second = w.isend(1 - w.rank(), 0, 8);
      EXPECT_EQ(first, 0);
      EXPECT_EQ(second, 1);
      w.wait(first), w.wait(second);
    });
  });
  validate(schedule);
  EXPECT_THROW(write(1, [](RankWriter& w) { w.wait(0); }), std::logic_error);
  EXPECT_THROW(write(1, [](RankWriter& w) { w.phase("none", [] {}); }), std::logic_error);
}

TEST(Split, MakesGroupsByColourOnce) {
  Schedule schedule = empty(6);
  const auto rows = split(schedule, "rows", [](std::int32_t rank) { return rank / 2; });
  EXPECT_EQ(split(schedule, "rows", [](std::int32_t) { return 0; }), rows);
  const auto some = split(schedule, "some", [](std::int32_t rank) { return rank % 2 ? -1 : 0; });
  EXPECT_NE(rows, some);
  EXPECT_EQ(schedule.communicators[rows].groups,
            (std::vector<std::vector<std::int32_t>>{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(schedule.communicators[some].groups,
            (std::vector<std::vector<std::int32_t>>{{0, 2, 4}}));
}

// A small valid schedule with everything that validate() looks at.
Schedule sample() {
  Schedule schedule = empty(4);
  const auto rows = split(schedule, "rows", [](std::int32_t rank) { return rank / 2; });
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    StreamWriter w(schedule, rank);
    w.phase("work", [&] { w.compute({1, 2, 3}); });            // 0 1 2
    w.repeat(3, [&] {                                          // 3
      const auto request = w.ireceive(rank ^ 1, 1, 8, rows);   // 4
      w.send(rank ^ 1, 1, 8, rows);                            // 5
      w.wait(request);                                         // 6
    });                                                        // 7
    w.collective(Collective::broadcast, 8, rows, 1);           // 8
    w.collective_lengths(Collective::alltoall, {1, 2}, rows);  // 9
    w.finish();
  }
  return schedule;
}

using Change = std::function<void(Schedule&)>;

TEST(Validate, AcceptsTheSampleAndRefusesEveryDamageToIt) {
  EXPECT_NO_THROW(validate(sample()));
  auto in = [](std::size_t at, std::function<void(Operation&)> change) {
    return [=](Schedule& s) { change(s.streams[0][at]); };
  };
  const std::pair<Change, const char*> damages[] = {
      {[](Schedule& s) { s.ranks = 0; }, "ranks"},
      {[](Schedule& s) { s.ranks = 5; }, "stream"},
      {[](Schedule& s) { s.stream_of_rank[2] = 99; }, "stream is missing"},
      {[](Schedule& s) { s.phases[1].name = "work"; }, "used twice"},
      {[](Schedule& s) { s.phases[1].kind = "fun"; }, "no known kind"},
      {[](Schedule& s) { s.works[0].flops = -1; }, "work count"},
      {[](Schedule& s) { s.works[0].bytes = 0.0 / 0.0; }, "work count"},
      {[](Schedule& s) { s.communicators[1].groups[0][0] = 4; }, "has rank 4 of 4"},
      {[](Schedule& s) { s.communicators[1].groups[0][0] = 1; }, "twice"},
      {[](Schedule& s) { s.communicators[1].groups.pop_back(); }, "no member"},
      {[](Schedule& s) {
         s.communicators[1].groups = {{0, 2}, {1, 3}};
       },
       "no common group"},
      {[](Schedule& s) { s.communicators[0].self = true; }, "does not hold all ranks"},
      {[](Schedule& s) { s.streams[0].pop_back(), s.streams[0].resize(5); }, "end"},
      {in(0, [](Operation& o) { o.phase = 7; }), "phase is not listed"},
      {in(0, [](Operation& o) { o.phase = 1; }), "not the last begun"},
      {in(0, [](Operation& o) { o.kind = Kind::phase_end; }), "not the last begun"},
      {in(1, [](Operation& o) { o.payload = 1; }), "work is not listed"},
      {in(1, [](Operation& o) { o.payload = -1, o.seconds = -1; }), "not a duration"},
      {in(1, [](Operation& o) { o.kind = static_cast<Kind>(200); }), "no known kind"},
      {in(3, [](Operation& o) { o.payload = 1000; }), "where it ends"},
      {in(3, [](Operation& o) { o.payload = 5; }), "where it ends"},
      {in(3, [](Operation& o) { o.bytes = UINT64_MAX; }), "unfolded"},
      {in(7, [](Operation& o) { o.payload = 2; }), "did not begin"},
      {in(4, [](Operation& o) { o.request = -1; }), "request"},
      {in(4, [](Operation& o) { o.request = 1 << 30; }), "request"},
      {in(4, [](Operation& o) { o.request = 1; }), "not started"},
      {in(4, [](Operation& o) { o.communicator = 9; }), "communicator is not listed"},
      {in(5, [](Operation& o) { o.peer = 4; }), "peer is no rank"},
      {in(5, [](Operation& o) { o.kind = Kind::isend, o.request = 0; }), "not complete"},
      {in(6, [](Operation& o) { o.kind = Kind::fence, o.request = -1; }), "leaves other requests"},
      {in(8, [](Operation& o) { o.peer = 2; }), "root 2 of 2"},
      {in(8, [](Operation& o) { o.peer = -1; }), "root is no rank"},
      {in(8, [](Operation& o) { o.collective = static_cast<Collective>(99); }),
       "no known collective"},
      {in(9, [](Operation& o) { o.communicator = world; }), "2 lengths for 4 ranks"},
      {in(9, [](Operation& o) { o.payload = 3; }), "list is not listed"},
      {[](Schedule& s) { s.lists[0][1] = -2; }, "length is negative"},
  };
  for (const auto& [change, words] : damages) {
    Schedule damaged = sample();
    change(damaged);
    SCOPED_TRACE(words);
    expect_refused(damaged, words);
  }
}

TEST(Validate, RefusesDeepLoops) {
  const Schedule schedule = write(1, [](RankWriter& w) {
    std::function<void(int)> nest = [&](int depth) {
      if (depth == 0) return w.compute_seconds(1);
      w.repeat(2, [&] { nest(depth - 1); });
    };
    nest(deepest_loop + 1);
  });
  expect_refused(schedule, "nested deeper");
}

TEST(Validate, ALoopMayWaitForWhatTheRoundBeforeStarted) {
  const Schedule schedule = write(2, [](RankWriter& w) {
    const auto request = w.isend(1 - w.rank(), 0, 8);
    w.repeat(10, [&] {
      w.receive(1 - w.rank(), 0, 8);
      w.wait(request);
      EXPECT_EQ(w.isend(1 - w.rank(), 0, 8), request);
    });
    w.receive(1 - w.rank(), 0, 8);
    w.wait(request);
  });
  EXPECT_NO_THROW(validate(schedule));
}

}  // namespace
}  // namespace hakaru::schedule
