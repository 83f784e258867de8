#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "native/replay/engine/collective_table.hpp"
#include "native/replay/engine/collectives/algorithm.hpp"
#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

constexpr int kinds =
    static_cast<int>(Collective::neighbour_exchange);  // without the exchange over a graph

bool rooted(Collective what) {
  return what == Collective::broadcast || what == Collective::reduce ||
         what == Collective::gather || what == Collective::scatter;
}

nlohmann::json forced(Collective what, const std::string& algorithm) {
  return {{"collectives", {{schedule::name_of(what), {{"algorithm", algorithm}}}}}};
}

Result run_forced(Collective what, const std::string& algorithm, std::int32_t ranks,
                  std::uint64_t bytes, const nlohmann::json& document = flat_document()) {
  return run(all(ranks, {collective(what, bytes, rooted(what) ? 0 : -1)}), document,
             forced(what, algorithm));
}

// What a rank knows: whose contribution it has. Runs all ranks of a call step by step, as far as
// each can go, and lets knowledge travel with messages.
class Knowledge {
 public:
  Knowledge(Steps steps, const Call& call)
      : steps_(steps), call_(call), ranks_(static_cast<std::size_t>(call.size)) {
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      ranks_[i].known.insert(static_cast<std::int32_t>(i));
  }
  // False when it cannot end.
  bool spread() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t rank = 0; rank < call_.size; ++rank)
        while (advance(rank)) moved = true;
    }
    for (const Rank& rank : ranks_)
      if (!rank.ended || !rank.inbox_empty()) return false;
    return true;
  }
  std::size_t known(std::int32_t rank) const {
    return ranks_[static_cast<std::size_t>(rank)].known.size();
  }

 private:
  struct Rank {
    std::set<std::int32_t> known;
    std::uint32_t step = 0;
    bool sent = false, ended = false;
    std::map<std::int32_t, std::vector<std::set<std::int32_t>>> inbox;
    bool inbox_empty() const {
      for (const auto& [from, messages] : inbox)
        if (!messages.empty()) return false;
      return true;
    }
  };

  // True when the rank did something.
  bool advance(std::int32_t number) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    if (rank.ended) return false;
    Call call = call_;
    call.rank = number;
    Exchange exchange;
    if (!steps_(call, rank.step, exchange)) return rank.ended = true;
    const bool sends = exchange.send_to >= 0 && !rank.sent;
    if (sends)
      ranks_.at(static_cast<std::size_t>(exchange.send_to)).inbox[number].push_back(rank.known);
    rank.sent = true;
    if (exchange.receive_from >= 0) {
      EXPECT_LT(exchange.receive_from, call.size);
      EXPECT_NE(exchange.receive_from, number);
      std::vector<std::set<std::int32_t>>& messages = rank.inbox[exchange.receive_from];
      if (messages.empty()) return sends;
      rank.known.insert(messages.front().begin(), messages.front().end());
      messages.erase(messages.begin());
    }
    ++rank.step;
    rank.sent = false;
    return true;
  }

  Steps steps_;
  Call call_;
  std::vector<Rank> ranks_;
};

// Whose contributions must have reached `rank`.
std::size_t needed(Collective what, std::int32_t rank, std::int32_t size, std::int32_t root) {
  switch (what) {
    case Collective::broadcast:
    case Collective::scatter:
      return 1;  // tested apart: the root's
    case Collective::reduce:
    case Collective::gather:
      return rank == root ? static_cast<std::size_t>(size) : 1;
    case Collective::scan:
      return static_cast<std::size_t>(rank) + 1;
    case Collective::exclusive_scan:
      return static_cast<std::size_t>(rank) + 1;
    default:
      return static_cast<std::size_t>(size);
  }
}

TEST(Collectives, EveryAlgorithmBringsTogetherWhatItMustOnAnyNumberOfRanks) {
  for (int kind = 0; kind < kinds; ++kind) {
    const auto what = static_cast<Collective>(kind);
    for (const Algorithm& algorithm : algorithms(what)) {
      if (algorithm.steps == nullptr) continue;
      for (std::int32_t size = 2; size <= 19; ++size) {
        for (const std::int32_t root : {0, size - 1, size / 2}) {
          if (!rooted(what) && root != 0) continue;
          const std::string name = std::string(schedule::name_of(what)) + " " + algorithm.name +
                                   " on " + std::to_string(size);
          Knowledge knowledge(algorithm.steps, {what, 0, size, root, 1000, nullptr});
          ASSERT_TRUE(knowledge.spread()) << name;
          for (std::int32_t rank = 0; rank < size; ++rank)
            EXPECT_GE(knowledge.known(rank), needed(what, rank, size, root))
                << name << ", rank " << rank;
        }
      }
    }
  }
}

TEST(Collectives, RootsReachEveryone) {
  for (const Collective what : {Collective::broadcast, Collective::scatter})
    for (const Algorithm& algorithm : algorithms(what))
      for (std::int32_t size = 2; algorithm.steps != nullptr && size <= 19; ++size)
        EXPECT_EQ(run_forced(what, algorithm.name, size, 1000).messages >=
                      static_cast<std::uint64_t>(size - 1),
                  true);
}

TEST(Collectives, EveryAlgorithmEndsAlsoWithRendezvous) {
  for (int kind = 0; kind < kinds; ++kind) {
    const auto what = static_cast<Collective>(kind);
    for (const Algorithm& algorithm : algorithms(what))
      for (const std::int32_t size : {1, 2, 3, 6, 8, 13})
        for (const std::uint64_t bytes : {0U, 8U, 100000U}) {
          const Result result = run_forced(what, algorithm.name, size, bytes);
          const Result ordered = [&] {
            nlohmann::json options = forced(what, algorithm.name);
            options["engine"] = "time_ordered";
            return run(all(size, {collective(what, bytes, rooted(what) ? 0 : -1)}), flat_document(),
                       options);
          }();
          EXPECT_EQ(result.makespan_s, ordered.makespan_s)
              << schedule::name_of(what) << " " << algorithm.name << " " << size;
        }
  }
}

TEST(Collectives, NoTwoRowsAreTheSameToALibrary) {
  for (int kind = 0; kind < schedule::collectives; ++kind) {
    std::set<std::string> names, mpich;
    std::set<int> openmpi;
    for (const Algorithm& one : algorithms(static_cast<Collective>(kind))) {
      EXPECT_TRUE(names.insert(one.name).second) << one.name;
      EXPECT_NE(std::string(one.about), "") << one.name;
      if (one.mpich != nullptr) EXPECT_TRUE(mpich.insert(one.mpich).second) << one.name;
      for (const OpenMpi& setting : one.openmpi)
        if (setting.number != 0) EXPECT_TRUE(openmpi.insert(setting.number).second) << one.name;
    }
  }
}

TEST(Collectives, VolumeIsWhatTheAlgorithmsMove) {
  constexpr std::uint64_t n = 24000;
  const auto bytes = [](Collective what, const char* name, std::int32_t ranks, std::uint64_t each) {
    return run_forced(what, name, ranks, each).bytes;
  };
  // Allreduce of n bytes: recursive doubling n log2 P a rank; ring and Rabenseifner 2 n (P - 1) / P
  // a rank.
  EXPECT_EQ(bytes(Collective::allreduce, "recursive_doubling", 8, n), 8 * 3 * n);
  EXPECT_EQ(bytes(Collective::allreduce, "ring", 6, n), 2 * n * 5);
  EXPECT_EQ(bytes(Collective::allreduce, "rabenseifner", 8, n), 2 * n * 7);
  EXPECT_EQ(bytes(Collective::allreduce, "reduce_broadcast", 8, n), 2 * n * 7);
  // Allgather: every rank receives P - 1 blocks, whatever the algorithm.
  for (const char* name : {"ring", "bruck", "recursive_doubling", "neighbour_exchange"})
    EXPECT_EQ(bytes(Collective::allgather, name, 8, n), 8 * 7 * n) << name;
  EXPECT_EQ(bytes(Collective::allgather, "bruck", 6, n), 6 * 5 * n);
  // Alltoall: P (P - 1) blocks; Bruck P / 2 log2 P a rank.
  EXPECT_EQ(bytes(Collective::alltoall, "pairwise", 6, n), 6 * 5 * n);
  EXPECT_EQ(bytes(Collective::alltoall, "simple_spread", 6, n), 6 * 5 * n);
  EXPECT_EQ(bytes(Collective::alltoall, "bruck", 8, n), 8 * 4 * 3 * n);
  // Broadcast by scatter and allgather: about 2 n a rank instead of n log2 P in all.
  EXPECT_EQ(bytes(Collective::broadcast, "binomial", 8, n), 7 * n);
  EXPECT_EQ(bytes(Collective::broadcast, "van_de_geijn", 8, n), (12 * n + 8 * 7 * n) / 8);
  EXPECT_EQ(bytes(Collective::gather, "binomial", 8, n), 12 * n);
  EXPECT_EQ(bytes(Collective::gather, "linear", 8, n), 7 * n);
  EXPECT_EQ(bytes(Collective::reduce_scatter, "ring", 6, n), 5 * n);
  EXPECT_EQ(bytes(Collective::reduce_scatter, "recursive_halving", 8, n), 7 * n);
}

TEST(Collectives, RecursiveDoublingTakesLog2Steps) {
  // log2 P (o_s + G (s - 1) + L + o_r + gamma s)
  nlohmann::json document = flat_document();
  document["reduction_s_per_byte"] = 0.25;
  for (const std::int32_t ranks : {2, 8, 64}) {
    const Result result =
        run_forced(Collective::allreduce, "recursive_doubling", ranks, 8, document);
    EXPECT_DOUBLE_EQ(result.makespan_s, std::log2(ranks) * (o_s + 7 * G + L + o_r + 0.25 * 8));
    EXPECT_DOUBLE_EQ(result.ranks[1].runtime_s, std::log2(ranks) * (o_s + o_r + 0.25 * 8));
    EXPECT_DOUBLE_EQ(result.ranks[1].overhead_s, 0);
  }
  // Five ranks: rank 1 takes rank 0's vector one step later than the others begin, who wait for it
  // in both of their steps; rank 0 gets its result while they finish.
  EXPECT_DOUBLE_EQ(run_forced(Collective::allreduce, "recursive_doubling", 5, 8).makespan_s,
                   3 * (o_s + 7 * G + L + o_r));
}

TEST(Collectives, ReductionsCostByTheLengthOfTheirVectors) {
  nlohmann::json document = flat_document();
  document["reduction_s_per_byte"] = {{{"maximum_bytes", 8}, {"value_s", 0.25}},
                                      {{"minimum_bytes", 9}, {"value_s", 2}}};
  for (const auto& [bytes, each_s] : {std::pair{8, 0.25}, std::pair{16, 2.0}})
    EXPECT_DOUBLE_EQ(
        run_forced(Collective::allreduce, "recursive_doubling", 2, bytes, document).makespan_s,
        o_s + (bytes - 1) * G + L + o_r + each_s * bytes);
}

TEST(Collectives, DisseminationAndBinomialTimes) {
  EXPECT_DOUBLE_EQ(run_forced(Collective::barrier, "dissemination", 9, 0).makespan_s,
                   4 * (o_s + L + o_r));
  EXPECT_DOUBLE_EQ(run_forced(Collective::barrier, "dissemination", 8, 0).makespan_s,
                   3 * (o_s + L + o_r));
  // Binomial broadcast: the last leaf is log2 P hops away; the root sends the farthest first.
  EXPECT_DOUBLE_EQ(run_forced(Collective::broadcast, "binomial", 8, 1).makespan_s,
                   3 * (o_s + L + o_r));
  // Ring allgather: P - 1 rounds.
  EXPECT_DOUBLE_EQ(run_forced(Collective::allgather, "ring", 7, 9).makespan_s,
                   6 * (o_s + 8 * G + L + o_r));
  // Pairwise with rendezvous: each round 2 L for the handshake, then the transfer and its latency.
  EXPECT_DOUBLE_EQ(run_forced(Collective::alltoall, "pairwise", 4, 1001).makespan_s,
                   3 * (o_s + 3 * L + 1000 * G + o_r));
}

TEST(Collectives, HardwareAndTablesSynchronise) {
  const Schedule schedule = of({{compute(5), collective(Collective::barrier)},
                                {collective(Collective::barrier), compute(1)}});
  const Result hardware =
      run(schedule, flat_document(),
          {{"collectives", {{"barrier", {{"algorithm", "hardware"}, {"hardware_s", 3}}}}}});
  EXPECT_DOUBLE_EQ(finish(hardware, 0), 8);
  EXPECT_DOUBLE_EQ(finish(hardware, 1), 9);
  EXPECT_DOUBLE_EQ(hardware.ranks[1].waiting_s, 5);
  EXPECT_DOUBLE_EQ(hardware.ranks[1].runtime_s, 3);
  nlohmann::json table = nlohmann::json::array();
  for (const double ranks : {2.0, 8.0})
    table.push_back({{"ranks", ranks}, {"bytes", 0}, {"value_s", ranks}});
  const nlohmann::json options = {{"collectives", {{"barrier", {{"table", table}}}}}};
  EXPECT_DOUBLE_EQ(
      run(all(4, {collective(Collective::barrier)}), flat_document(), options).makespan_s, 4);
}

TEST(Collectives, TableIsInterpolatedInLogarithms) {
  CollectivePrice price;
  for (const double ranks : {2.0, 8.0})
    for (const double bytes : {0.0, 1023.0, 4095.0})
      price.table.push_back({ranks, bytes, ranks * (bytes + 1)});
  EXPECT_NEAR(price_together(price, 4, 2047), 4 * 2048, 1e-6);
  EXPECT_NEAR(price_together(price, 8, 8191), 8 * 8192, 1e-6);
  EXPECT_NEAR(price_together(price, 16, 1023), 16 * 1024, 1e-6);
}

TEST(Collectives, NonBlockingOnesOverlap) {
  Operation start = collective(Collective::allreduce, 8);
  start.request = 0;
  const double alone = run_forced(Collective::allreduce, "recursive_doubling", 8, 8).makespan_s;
  const nlohmann::json options = forced(Collective::allreduce, "recursive_doubling");
  const Result hidden = run(all(8, {start, compute(1000), wait(0)}), flat_document(), options);
  EXPECT_DOUBLE_EQ(hidden.makespan_s, 1000);
  const Result shown = run(all(8, {start, compute(1), wait(0)}), flat_document(), options);
  EXPECT_DOUBLE_EQ(shown.makespan_s, alone);
  EXPECT_EQ(shown.messages, 8U * 3U);
  // Two at once do not mix.
  Operation second = start;
  second.request = 1;
  EXPECT_DOUBLE_EQ(
      run(all(8, {start, second, wait(1), wait(0)}), flat_document(), options).makespan_s, alone);
}

TEST(Collectives, OnSubcommunicatorsWithOneStream) {
  // Rows {0, 1}, {2, 3, 4}: each has its own barrier.
  Schedule schedule = all(5, {on(collective(Collective::barrier), 1)});
  schedule.communicators.push_back({"rows", {{1, 0}, {4, 2, 3}}, false});
  const Result result =
      run(schedule, flat_document(), forced(Collective::barrier, "dissemination"));
  EXPECT_DOUBLE_EQ(finish(result, 0), o_s + L + o_r);
  EXPECT_DOUBLE_EQ(finish(result, 3), 2 * (o_s + L + o_r));
  schedule.communicators[1] = {"self", {}, true};
  EXPECT_DOUBLE_EQ(run(schedule).makespan_s, 0);
}

TEST(Collectives, LengthsPerPartner) {
  // Rank r sends r + 1 bytes to everyone; received lengths need not be said.
  std::vector<Stream> streams;
  Schedule schedule = of({{}, {}, {}});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    schedule.lists.push_back(std::vector<std::int64_t>(3, static_cast<std::int64_t>(rank) + 1));
    Operation operation = collective(Collective::alltoall);
    operation.payload = static_cast<std::int32_t>(rank);
    schedule.streams[rank] = {operation};
  }
  EXPECT_EQ(run(schedule).bytes, 2U * (1 + 2 + 3));
  // Gatherv: only the root has the list.
  Schedule gather = of({{collective(Collective::gather, 0, 0)},
                        {collective(Collective::gather, 7, 0)},
                        {collective(Collective::gather, 5, 0)}});
  gather.lists.push_back({0, 7, 5});
  gather.streams[0][0].payload = 0;
  EXPECT_EQ(run(gather).bytes, 12U);
}

TEST(Collectives, AnAllToAllOrABroadcastOfNothingTakesNothing) {
  for (const Collective what : {Collective::alltoall, Collective::broadcast}) {
    const Operation nothing = collective(what, 0);
    const Result result = run(of({{compute(5), nothing}, {nothing}, {nothing}}));
    EXPECT_DOUBLE_EQ(finish(result, 0), 5);
    EXPECT_DOUBLE_EQ(finish(result, 1), 0);
    EXPECT_EQ(result.messages, 0U);
  }
  // By partner some may be empty: those are sent.
  const Operation nothing = collective(Collective::alltoall, 0);
  Schedule schedule = of({{nothing}, {nothing}});
  schedule.lists = {{0, 0}, {0, 1}};
  for (std::size_t rank = 0; rank < 2; ++rank)
    schedule.streams[rank][0].payload = static_cast<std::int32_t>(rank);
  EXPECT_GT(run(schedule).makespan_s, 0);
}

TEST(Collectives, ExchangeOverAGraph) {
  Schedule schedule = of({{}, {}, {}});
  schedule.lists = {{1, 10, 2, 20}, {0, 10}, {0, 20}};  // 0 sends to 1 and 2
  const std::uint64_t destinations[] = {2, 0, 0};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    Operation operation = collective(Collective::neighbour_exchange, destinations[rank]);
    operation.payload = static_cast<std::int32_t>(rank);
    schedule.streams[rank] = {operation};
  }
  const Result result = run(schedule);
  EXPECT_EQ(result.bytes, 30U);
  EXPECT_DOUBLE_EQ(finish(result, 1), o_s + 9 * G + L + o_r);
}

// Each waits for its own partners, not for all, and then pays for their number and mean length.
TEST(Collectives, ExchangeOverAGraphByPrice) {
  Schedule schedule = of({{compute(100)}, {}, {}, {compute(7)}});
  schedule.lists = {{1, 10, 1, 10}, {0, 10, 0, 10}, {3, 20, 3, 20}, {2, 20, 2, 20}};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    Operation operation = collective(Collective::neighbour_exchange, 1);
    operation.payload = static_cast<std::int32_t>(rank);
    schedule.streams[rank].push_back(operation);
  }
  nlohmann::json document = flat_document();
  document["collectives"]["neighbour_exchange"]["table"] = {
      {{"ranks", 1}, {"bytes", 10}, {"value_s", 3}},
      {{"ranks", 1}, {"bytes", 20}, {"value_s", 5}},
      {{"ranks", 2}, {"bytes", 10}, {"value_s", 6}}};
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    const Result result = run(schedule, document, {{"engine", engine}});
    EXPECT_DOUBLE_EQ(finish(result, 0), 103) << engine;
    EXPECT_DOUBLE_EQ(finish(result, 1), 103) << engine;
    EXPECT_DOUBLE_EQ(finish(result, 2), 12) << engine;
    EXPECT_EQ(result.bytes, 60U) << engine;
  }
}

TEST(Collectives, ExchangeOfNothingOverAGraphHasNoPrice) {
  nlohmann::json document = flat_document();
  document["collectives"]["neighbour_exchange"]["table"] = {
      {{"ranks", 1}, {"bytes", 10}, {"value_s", 3}}};
  Schedule schedule = of({{compute(7)}, {}});
  schedule.lists = {{1, 0, 1, 0}, {0, 0, 0, 0}};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Operation operation = collective(Collective::neighbour_exchange, 1);
    operation.payload = static_cast<std::int32_t>(rank);
    schedule.streams[rank].push_back(operation);
  }
  EXPECT_DOUBLE_EQ(run(schedule, document).makespan_s, 7);
}

// On a grid by a table of its own, where there is one.
TEST(Collectives, ExchangeOnAGridByPrice) {
  Schedule schedule = of({{}, {}});
  schedule.lists = {{1, 10, 1, 10, 1, 10, 1, 10}, {0, 10, 0, 10, 0, 10, 0, 10}};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    Operation operation = collective(Collective::neighbour_exchange, 2);
    operation.payload = static_cast<std::int32_t>(rank);
    schedule.streams[rank] = {operation};
  }
  const auto takes = [&](const nlohmann::json& price, bool grid, const char* engine) {
    for (auto& stream : schedule.streams) stream[0].grid = grid;
    nlohmann::json document = flat_document();
    document["collectives"]["neighbour_exchange"] = price;
    return run(schedule, document, {{"engine", engine}}).makespan_s;
  };
  nlohmann::json price;
  price["table"] = {{{"ranks", 2}, {"bytes", 10}, {"value_s", 3}}};
  nlohmann::json both = price;
  both["grid_table"] = {{{"ranks", 1}, {"bytes", 10}, {"value_s", 2}},
                        {{"ranks", 2}, {"bytes", 10}, {"value_s", 4}}};
  for (const char* engine : {"run_until_blocked", "time_ordered"}) {
    EXPECT_DOUBLE_EQ(takes(both, false, engine), 3) << engine;
    EXPECT_DOUBLE_EQ(takes(both, true, engine), 4) << engine;
    EXPECT_DOUBLE_EQ(takes(price, true, engine), 3) << engine;
  }
  nlohmann::json alone = both;
  alone.erase("table");
  EXPECT_THROW(takes(alone, true, "automatic"), base::UserError);
  both["grid_table"] = nlohmann::json::array();
  EXPECT_THROW(takes(both, true, "automatic"), base::UserError);
  nlohmann::json document = flat_document();
  document["collectives"]["allreduce"] = {{"table", price["table"]},
                                          {"grid_table", price["table"]}};
  EXPECT_THROW(replay::read_costs(document), base::UserError);
}

TEST(Collectives, DecisionsFollowTheLibraries) {
  const auto chosen = [](const char* library, Collective what, std::int32_t size,
                         std::uint64_t bytes) {
    return std::string(decide(library, {what, 0, size, 0, bytes, nullptr}, false).name);
  };
  EXPECT_EQ(chosen("openmpi", Collective::allreduce, 16, 4095), "recursive_doubling");
  EXPECT_EQ(chosen("openmpi", Collective::allreduce, 16, 4096), "rabenseifner");
  EXPECT_EQ(chosen("openmpi", Collective::alltoall, 32, 100), "bruck");
  EXPECT_EQ(chosen("openmpi", Collective::alltoall, 16384, 100), "pairwise");
  EXPECT_EQ(chosen("openmpi", Collective::barrier, 6, 0), "linear");
  EXPECT_EQ(chosen("openmpi", Collective::allgather, 100, 100000), "ring");
  EXPECT_EQ(chosen("mpich", Collective::allreduce, 16, 2048), "recursive_doubling");
  EXPECT_EQ(chosen("mpich", Collective::alltoall, 16, 100000), "pairwise");
  EXPECT_EQ(chosen("mpich", Collective::broadcast, 16, 100000), "scatter_doubling");
  EXPECT_EQ(chosen("openmpi", Collective::allreduce, 8192, 8 * 8192), "ring");
  EXPECT_EQ(chosen("openmpi", Collective::allreduce, 8192, 8 * 8191), "recursive_doubling");
  EXPECT_EQ(chosen("openmpi", Collective::allreduce, 3000, 8 * 2048), "rabenseifner");
  EXPECT_EQ(chosen("openmpi", Collective::allreduce, 1500, 8 * 2048), "rabenseifner");
  EXPECT_EQ(chosen("openmpi", Collective::allreduce, 3, 7), "recursive_doubling");
  EXPECT_EQ(chosen("openmpi", Collective::reduce, 3, 7), "linear");
  EXPECT_EQ(chosen("mpich", Collective::allreduce, 1500, 8 * 1024), "rabenseifner");
  EXPECT_EQ(chosen("mpich", Collective::allreduce, 1500, 8 * 1023), "recursive_doubling");
  EXPECT_EQ(chosen("mpich", Collective::reduce, 1500, 8 * 1023), "binomial");
  for (int kind = 0; kind < kinds; ++kind)
    for (std::int32_t size = 1; size <= 20000; size = size * 3 / 2 + 1)
      for (std::uint64_t bytes = 0; bytes < 1U << 24U; bytes = bytes * 3 + 1)
        for (const char* library : {"openmpi", "mpich"})
          for (const bool vector : {false, true})
            EXPECT_NE(
                decide(library, {static_cast<Collective>(kind), 0, size, 0, bytes, nullptr}, vector)
                    .steps,
                nullptr);
}

}  // namespace
}  // namespace hakaru::replay::test
