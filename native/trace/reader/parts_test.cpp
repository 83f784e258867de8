// An archive read by several processes is the archive read by one.
#include "native/trace/reader/parts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

#include "native/base/require.hpp"
#include "native/trace/own_names.hpp"
#include "native/trace/reader/test_archive.hpp"
#include "native/trace/reader/trace.hpp"

namespace hakaru::trace {
namespace {

using schedule::Operation;

constexpr std::uint32_t ranks = 7;

// Ranks with phases and lists of their own, in an order of their own, beside some that all have.
std::string unlike(TestArchive& a) {
  const AttributeName& sent_to = *attribute_named("HAKARU::SENT_TO");
  const OTF2_AttributeRef attribute = a.attribute(sent_to.name, sent_to.type);
  const auto alltoallv = [&](std::uint32_t rank, std::uint32_t first) {
    std::string lengths;
    for (std::uint32_t i = 0; i < ranks; ++i) lengths += fmt::format("{} ", first + i);
    a.call(rank, "MPI_Alltoallv", [&](OTF2_EvtWriter* w) {
      OTF2_AttributeList* list = OTF2_AttributeList_New();
      OTF2_AttributeList_AddStringRef(list, attribute, a.string(lengths));
      OTF2_EvtWriter_MpiCollectiveBegin(w, nullptr, a.at(rank));
      OTF2_EvtWriter_MpiCollectiveEnd(w, list, a.at(rank), OTF2_COLLECTIVE_OP_ALLTOALLV,
                                      TestArchive::world, OTF2_UNDEFINED_UINT32, 9, 9);
      OTF2_AttributeList_Delete(list);
    });
  };
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t step = 0; step < 3 + rank; ++step) {
      for (const std::uint32_t kind : {rank % 3, step % 2 + 3}) {
        const std::string phase = fmt::format("phase {}", kind);
        a.region(phase, OTF2_PARADIGM_USER);
        a.enter(rank, phase);
        alltoallv(rank, 10 * kind);
        a.leave(rank, phase, 70);
      }
      a.call(rank, "MPI_Send", [&](OTF2_EvtWriter* w) {
        OTF2_EvtWriter_MpiSend(w, nullptr, a.at(rank), (rank + 1) % ranks, 0, 7, 8192);
      });
    }
  }
  return a.close();
}

std::vector<std::string> words(const Trace& trace, std::size_t rank) {
  std::vector<std::string> all;
  const schedule::Schedule& s = trace.schedule;
  for (const Operation& o : s.streams[rank]) {
    const std::string phase = o.phase == schedule::no_phase ? "" : s.phases[o.phase].name;
    const auto list =
        o.payload < 0 ? std::vector<std::int64_t>{} : s.lists[static_cast<std::size_t>(o.payload)];
    all.push_back(fmt::format("{} {} {} {} {}", static_cast<int>(o.kind), phase, o.peer, o.bytes,
                              fmt::join(list, " ")));
  }
  return all;
}

TEST(Parts, AreTheWhole) {
  TestArchive a(ranks);
  const std::string anchor = unlike(a);
  const Trace whole = read_trace(anchor, {.times = true, .child_process = false});
  for (const std::size_t processes : {1, 2, 3, 7, 20}) {
    const Trace trace = read_trace(anchor, {.times = true, .processes = processes});
    ASSERT_EQ(trace.schedule.ranks, whole.schedule.ranks);
    EXPECT_EQ(trace.calls, whole.calls);
    EXPECT_EQ(trace.schedule.lists, whole.schedule.lists) << processes;
    ASSERT_EQ(trace.schedule.phases.size(), whole.schedule.phases.size());
    for (std::size_t i = 0; i < whole.schedule.phases.size(); ++i)
      EXPECT_EQ(trace.schedule.phases[i].name, whole.schedule.phases[i].name) << processes;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(words(trace, rank), words(whole, rank)) << processes;
      EXPECT_EQ(trace.times[rank].back().leave_s, whole.times[rank].back().leave_s);
      EXPECT_EQ(trace.ranks[rank].end_s, whole.ranks[rank].end_s);
      EXPECT_EQ(trace.ranks[rank].events, whole.ranks[rank].events);
    }
  }
}

TEST(Parts, SayWhichRankIsDamaged) {
  for (const std::uint32_t rank : {0u, 3u, 6u}) {
    TestArchive a(ranks);
    a.say_events(rank, 5);
    const std::string anchor = unlike(a);
    try {
      read_trace(anchor, {.processes = 3});
      FAIL() << "rank " << rank;
    } catch (const base::UserError& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("rank {} ", rank)), std::string::npos)
          << error.what();
    }
  }
}

Definitions of(const std::vector<std::uint64_t>& events) {
  Definitions definitions;
  for (const std::uint64_t each : events) {
    definitions.location_of_rank.push_back(definitions.locations.size());
    definitions.locations.emplace_back().events = each;
  }
  return definitions;
}

std::vector<std::int32_t> ends(const Definitions& definitions, std::size_t most,
                               std::uint64_t least = 1) {
  std::vector<std::int32_t> all;
  std::int32_t next = 0;
  for (const Part& part : divide(definitions, most, least)) {
    EXPECT_EQ(part.first, next);
    EXPECT_GT(part.last, part.first);
    all.push_back(next = part.last);
  }
  return all;
}

using Ends = std::vector<std::int32_t>;

TEST(Parts, HaveAboutAsManyEvents) {
  EXPECT_EQ(ends(of({10, 10, 10, 10}), 2), (Ends{2, 4}));
  EXPECT_EQ(ends(of({10, 10, 10, 10}), 4), (Ends{1, 2, 3, 4}));
  EXPECT_EQ(ends(of({10, 10, 10, 10}), 9), (Ends{1, 2, 3, 4}));
  EXPECT_EQ(ends(of({90, 10, 10, 10}), 2), (Ends{1, 4}));
  EXPECT_EQ(ends(of({10, 10, 90}), 3), (Ends{2, 3}));
  EXPECT_EQ(ends(of({10, 10, 0, 0}), 2), (Ends{1, 4}));
  EXPECT_EQ(ends(of({10, 0, 0}), 3), (Ends{1, 3}));
  EXPECT_EQ(ends(of({0, 0}), 2), (Ends{2}));
  EXPECT_EQ(ends(of({10, 10, 10, 10}), 4, 20), (Ends{2, 4}));
  EXPECT_EQ(ends(of({10, 10, 10, 10}), 4, 41), (Ends{4}));
}

TEST(Parts, AreOneWhereRanksNumberWhatOthersMade) {
  Definitions windows = of({10, 10}), files = of({10, 10}), groups = of({10, 10});
  windows.windows.add(0) = 0;
  files.files.add(0);
  groups.communicators.add(0).inter = true;
  for (const Definitions* one : {&windows, &files, &groups}) EXPECT_EQ(ends(*one, 2), (Ends{2}));
}

TEST(Parts, AHelperThatIsKilledEndsTheReaderInItsWay) {
  EXPECT_EXIT(
      {
        Helpers helpers(1);
        Sender to(STDOUT_FILENO);
        const Part own = helpers.start({{0, 1}, {1, 2}}, to);
        if (own.first == 1) raise(SIGKILL);
        helpers.wait();
        _exit(0);
      },
      testing::KilledBySignal(SIGKILL), "");
}

}  // namespace
}  // namespace hakaru::trace
