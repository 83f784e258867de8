#include <gtest/gtest.h>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

nlohmann::json document(const std::string& model, const nlohmann::json& topology) {
  return {{"model", model},
          {"levels",
           {{"switch",
             {{"latency_s", L},
              {"send_overhead", o_s},
              {"receive_overhead", o_r},
              {"gap_per_byte", G}}}}},
          {"topology", topology}};
}

std::vector<std::uint32_t> route(const Network& network, std::int32_t from, std::int32_t to) {
  std::vector<std::uint32_t> links;
  network.route(from, to, links);
  return links;
}

TEST(Torus, DimensionOrderTheShorterWayAround) {
  const auto network = make_network(
      document("torus",
               {{"dimensions", {4, 3}}, {"hop_latency_s", 1}, {"link", {{"gap_per_byte_s", G}}}}),
      12);
  // 0 -> 6 = (2, 1): two up in x from (0, 0) and (1, 0), one up in y from (2, 0).  link = 2 (node 2
  // + dimension) + downwards
  EXPECT_EQ(route(*network, 0, 6), (std::vector<std::uint32_t>{0, 4, 10}));
  // 0 -> 11 = (3, 2): one down in x, one down in y, around the edges.
  EXPECT_EQ(route(*network, 0, 11), (std::vector<std::uint32_t>{1, 15}));
  EXPECT_DOUBLE_EQ(network->path(0, 6).latency_s, L + 3);
  EXPECT_DOUBLE_EQ(network->path(0, 0).latency_s, L);
  for (std::int32_t a = 0; a < 12; ++a)
    for (std::int32_t b = 0; b < 12; ++b)
      EXPECT_DOUBLE_EQ(network->path(a, b).latency_s,
                       L + static_cast<double>(route(*network, a, b).size()));
  EXPECT_NE(error_of([] {
              make_network(document("torus", {{"dimensions", {2}}, {"link", {{"gap_s", 1}}}}), 3);
            }),
            "");
}

TEST(Networks, TheWayOfAMessageIsItsPath) {
  const nlohmann::json link = {{"gap_per_byte_s", G}};
  for (const auto& [model, topology] :
       {std::pair<std::string, nlohmann::json>{"torus", {{"dimensions", {3, 2, 3}}}},
        {"torus", {{"dimensions", {2, 4}}, {"wrap", false}, {"ranks_per_node", 2}}},
        {"fat_tree", {{"down", {2, 3, 3}}, {"up", {2, 3}}}},
        {"crossbar", {{"ranks_per_node", 3}}}}) {
    nlohmann::json whole = topology;
    whole["link"] = link;
    whole["hop_latency_s"] = 0.25;
    const auto network = make_network(document(model, whole), 16);
    for (std::int32_t a = 0; a < 16; ++a)
      for (std::int32_t b = 0; b < 16; ++b) {
        std::vector<std::uint32_t> links;
        const Path way = network->route(a, b, links), path = network->path(a, b);
        EXPECT_EQ(way.level, path.level) << model << a << " " << b;
        EXPECT_EQ(way.latency_s, path.latency_s) << model << a << " " << b;
        EXPECT_EQ(&network->level(a, b), path.level) << model << a << " " << b;
        EXPECT_DOUBLE_EQ(path.latency_s - path.level->latency_s,
                         0.25 * static_cast<double>(links.size()));
      }
  }
}

TEST(FatTree, RoutesGoUpOnlyAsFarAsNeededAndMeetAtTheDestination) {
  // Two levels: 4 leaf switches of 4 nodes, 2 spines.
  const auto network = make_network(
      document("fat_tree", {{"down", {4, 4}}, {"up", {2}}, {"link", {{"gap_per_byte_s", G}}}}), 16);
  EXPECT_EQ(network->links(), 2U * 16 + 2U * 4 * 2);
  EXPECT_EQ(route(*network, 0, 3).size(), 2U);
  EXPECT_EQ(route(*network, 0, 5).size(), 4U);
  // D mod k: all messages to 5 take spine 5 mod 2 = 1 and share the way down; those to 4 take spine
  // 0.
  EXPECT_EQ(route(*network, 0, 5)[2], route(*network, 13, 5)[2]);
  EXPECT_NE(route(*network, 0, 5)[2], route(*network, 0, 4)[2]);
  EXPECT_NE(route(*network, 0, 5)[1], route(*network, 0, 4)[1]);
  for (std::int32_t a = 0; a < 16; ++a)
    for (std::int32_t b = 0; b < 16; ++b)
      for (const std::uint32_t link : route(*network, a, b)) EXPECT_LT(link, network->links());
}

TEST(FatTree, ThreeLevelsHaveDisjointLinksForDifferentSwitches) {
  const auto network = make_network(
      document("fat_tree",
               {{"down", {2, 2, 2}}, {"up", {2, 2}}, {"link", {{"gap_per_byte_s", G}}}}),
      8);
  EXPECT_EQ(network->links(), 2U * (8 + 4 * 2 + 2 * 2 * 2));
  EXPECT_EQ(route(*network, 0, 7).size(), 6U);
  // A permutation by shifting half way has no shared link in a full fat tree with D-mod-k routes.
  std::vector<int> used(network->links(), 0);
  for (std::int32_t node = 0; node < 8; ++node)
    for (const std::uint32_t link : route(*network, node, (node + 4) % 8))
      EXPECT_EQ(++used[link], 1);
}

// Ranks 0 and 1 send s bytes each to 2 and 3 at the same time.
Schedule two_at_once(std::uint64_t bytes) {
  return of({{send(2, bytes)}, {send(3, bytes)}, {receive(0, bytes)}, {receive(1, bytes)}});
}

TEST(SharedLinks, OnATorusTwoFlowsShareALink) {
  // A line of 4 (no wrap): 0 -> 2 takes links 0-1, 1-2; 1 -> 3 takes 1-2, 2-3. They share 1-2.
  const nlohmann::json line =
      document("torus", {{"dimensions", {4}}, {"wrap", false}, {"link", {{"gap_per_byte_s", G}}}});
  const double t = 1000 * G;
  // First come, first served: rank 0's message is first, the other one waits for it.
  const Result queue = run(two_at_once(1001), line);
  EXPECT_EQ(queue.engine, "time ordered");
  EXPECT_DOUBLE_EQ(finish(queue, 2), o_s + t + L + o_r);
  EXPECT_DOUBLE_EQ(finish(queue, 3), o_s + 2 * t + L + o_r);
  // Max-min: both get half.
  const Result fair = run(two_at_once(1001), line, {{"sharing", "max_min"}});
  EXPECT_DOUBLE_EQ(finish(fair, 2), o_s + 2 * t + L + o_r);
  EXPECT_DOUBLE_EQ(finish(fair, 3), o_s + 2 * t + L + o_r);
  // The other way around nothing is shared.
  const Result apart =
      run(of({{send(1, 1001)}, {receive(0, 1001)}, {send(3, 1001)}, {receive(2, 1001)}}), line);
  EXPECT_DOUBLE_EQ(apart.makespan_s, o_s + t + L + o_r);
}

TEST(SharedLinks, OnAFatTreeTwoFlowsToOneLeafShareItsSpine) {
  // 0 -> 4 and 1 -> 6 both take spine 0, up from the same leaf; 1 -> 5 would take spine 1.
  const nlohmann::json tree =
      document("fat_tree", {{"down", {4, 2}}, {"up", {2}}, {"link", {{"gap_per_byte_s", G}}}});
  const double t = 1000 * G;
  std::vector<Stream> streams(8);
  streams[0] = {send(4, 1001)};
  streams[1] = {send(6, 1001)};
  streams[4] = {receive(0, 1001)};
  streams[6] = {receive(1, 1001)};
  const Result shared = run(of(streams), tree, {{"sharing", "max_min"}});
  EXPECT_DOUBLE_EQ(finish(shared, 4), o_s + 2 * t + L + o_r);
  EXPECT_DOUBLE_EQ(finish(shared, 6), o_s + 2 * t + L + o_r);
  streams[1] = {send(5, 1001)};
  streams[5] = {receive(1, 1001)};
  streams[6] = {};
  EXPECT_DOUBLE_EQ(run(of(streams), tree, {{"sharing", "max_min"}}).makespan_s, o_s + t + L + o_r);
}

TEST(SharedLinks, ACrossbarSharesOnlyPorts) {
  const nlohmann::json crossbar = document("crossbar", {{"link", {{"gap_per_byte_s", G}}}});
  const double t = 1000 * G;
  EXPECT_DOUBLE_EQ(run(two_at_once(1001), crossbar).makespan_s, o_s + t + L + o_r);
  const Schedule incast =
      of({{receive(1, 1001), receive(2, 1001)}, {send(0, 1001)}, {send(0, 1001)}});
  EXPECT_DOUBLE_EQ(run(incast, crossbar).makespan_s, o_s + 2 * t + L + o_r);
}

TEST(Hierarchy, LevelsByPlacement) {
  nlohmann::json network = {
      {"model", "hierarchy"},
      {"levels",
       {{"core", {{"latency_s", 1}}},
        {"socket", {{"latency_s", 2}}},
        {"node", {{"latency_s", 3}}},
        {"switch", {{"latency_s", 4}}}}},
      {"placement", {{"cores_per_socket", 2}, {"sockets_per_node", 2}, {"nodes_per_switch", 2}}}};
  const auto latency = [&](std::int32_t a, std::int32_t b) {
    return make_network(network, 32)->path(a, b).latency_s;
  };
  EXPECT_EQ(latency(0, 1), 1);
  EXPECT_EQ(latency(0, 2), 2);
  EXPECT_EQ(latency(0, 4), 3);
  EXPECT_EQ(latency(0, 8), 4);
  network["placement"]["mapping"] = "cyclic";  // 8 nodes: rank r on node r mod 8
  EXPECT_EQ(latency(0, 8), 1);
  EXPECT_EQ(latency(0, 16), 2);
  EXPECT_EQ(latency(0, 1), 3);
  EXPECT_EQ(latency(0, 2), 4);
  network["levels"] = {{"switch", {{"latency_s", 4}}}};
  EXPECT_EQ(latency(0, 8), 4);
}

TEST(Hierarchy, RanksOfANodeShareItsNic) {
  nlohmann::json network = {{"model", "hierarchy"},
                            {"levels",
                             {{"switch",
                               {{"latency_s", L},
                                {"send_overhead", o_s},
                                {"receive_overhead", o_r},
                                {"gap_per_byte", G}}}}},
                            {"placement", {{"cores_per_socket", 2}}}};
  const double t = 1000 * G;
  EXPECT_DOUBLE_EQ(run(two_at_once(1001), network).makespan_s,
                   o_s + t + L + o_r);  // nothing shared
  network["node"] = {{"nic", {{"gap_per_byte_s", G}, {"gap_s", g}}}};
  EXPECT_DOUBLE_EQ(run(two_at_once(1001), network).makespan_s, o_s + t + g + t + L + o_r);
  // Inside a node the NIC plays no part, but the memory may.
  const Schedule inside =
      of({{send(1, 1001), receive(1, 1001)}, {send(0, 1001), receive(0, 1001)}});
  EXPECT_DOUBLE_EQ(run(inside, network).makespan_s, o_s + t + L + o_r);
  network["node"] = {{"memory", {{"rate_bytes_per_s", 1 / G}}}};
  EXPECT_DOUBLE_EQ(run(inside, network).makespan_s, o_s + 2 * t + L + o_r);
}

}  // namespace
}  // namespace hakaru::replay::test
