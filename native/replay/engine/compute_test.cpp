#include <gtest/gtest.h>

#include <cmath>

#include "native/replay/engine/test_support.hpp"

namespace hakaru::replay::test {
namespace {

double alone(const Schedule& schedule, const nlohmann::json& options) {
  return run(schedule, flat_document(), options).makespan_s;
}

TEST(Compute, Factors) {
  Schedule schedule = of({{compute(3), compute(4)}});
  schedule.phases = {{"a", "compute"}, {"b", "compute"}};
  schedule.streams[0][0].phase = 0;
  schedule.streams[0][1].phase = 1;
  EXPECT_DOUBLE_EQ(alone(schedule, {{"compute_factor", 2}}), 14);
  EXPECT_DOUBLE_EQ(alone(schedule, {{"compute_factor", 2}, {"phase_factor", {{"b", 0.5}}}}), 6 + 4);
  EXPECT_NE(error_of([&] {
              alone(schedule, {{"phase_factor", {{"c", 1}}}});
            }).find("no phase 'c'"),
            std::string::npos);
}

TEST(Compute, RooflineIsTheLongerOfBoth) {
  Operation operation;
  operation.payload = 0;
  Schedule schedule = of({{operation}});
  schedule.works = {{100, 40, 60, -1}};
  EXPECT_DOUBLE_EQ(alone(schedule, {{"roofline", {{"flop_rate", 10}, {"memory_bandwidth", 20}}}}),
                   10);
  EXPECT_DOUBLE_EQ(alone(schedule, {{"roofline", {{"flop_rate", 100}, {"memory_bandwidth", 20}}}}),
                   2);
  EXPECT_DOUBLE_EQ(
      alone(schedule, {{"roofline",
                        {{"flop_rate", 100}, {"memory_bandwidth", 20}, {"write_allocate", true}}}}),
      3);
  EXPECT_NE(error_of([&] { alone(schedule, nlohmann::json::object()); }).find("roofline"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { check(schedule); }), "");
}

TEST(Compute, NoiseIsTheSameForTheSameSeed) {
  const Schedule schedule = all(4, Stream(1000, compute(1)));
  const auto exponential = [](int seed) {
    return nlohmann::json{{"noise", {{"kind", "exponential"}, {"mean_s", 0.5}, {"seed", seed}}}};
  };
  const Result one = run(schedule, flat_document(), exponential(1));
  EXPECT_EQ(finish(one, 0), finish(run(schedule, flat_document(), exponential(1)), 0));
  EXPECT_NE(finish(one, 0), finish(run(schedule, flat_document(), exponential(2)), 0));
  EXPECT_NE(finish(one, 0), finish(one, 1));
  EXPECT_NEAR(finish(one, 0), 1500, 5 * 0.5 * std::sqrt(1000.0));  // five standard deviations
  const Result gaussian = run(schedule, flat_document(),
                              {{"noise", {{"kind", "gaussian"}, {"relative_deviation", 0.1}}}});
  EXPECT_NEAR(finish(gaussian, 2), 1000, 5 * 0.1 * std::sqrt(1000.0));
  const Result empirical =
      run(schedule, flat_document(), {{"noise", {{"kind", "empirical"}, {"samples_s", {0, 2}}}}});
  EXPECT_NEAR(finish(empirical, 3), 2000, 5 * std::sqrt(1000.0));
}

TEST(Compute, PeriodicDetours) {
  // Every 10 s a detour of 1 s: 9 s of work between them. 900 s of work see 100 of them, whatever
  // the phase.
  const nlohmann::json options = {
      {"noise", {{"kind", "periodic"}, {"period_s", 10}, {"detour_s", 1}}}};
  const Result result = run(all(3, {compute(900)}), flat_document(), options);
  for (std::size_t rank = 0; rank < 3; ++rank) EXPECT_NEAR(finish(result, rank), 1000, 1.0001);
}

TEST(Compute, DetoursComeInProportionToTheWork) {
  // 0.2 and 30 detours a second: the first by counting probabilities, the second (a mean of 3000
  // for one operation of 100 s) by the normal law. Lost: rate x length of each.
  const nlohmann::json noise = {
      {"noise",
       {{"kind", "detours"},
        {"detours",
         {{{"rate_per_s", 0.2}, {"detour_s", 0.5}}, {{"rate_per_s", 30}, {"detour_s", 0.001}}}}}}};
  const double few_s = 5 * 0.5 * std::sqrt(200.0) + 5 * 0.001 * std::sqrt(30000.0);
  const double one_by_one =
      finish(run(all(2, Stream(1000, compute(1))), flat_document(), noise), 0);
  EXPECT_NEAR(one_by_one, 1000 * (1 + 0.2 * 0.5 + 30 * 0.001), few_s);
  const Result at_once = run(all(2, {compute(1000)}), flat_document(), noise);
  EXPECT_NEAR(finish(at_once, 0), 1000 * (1 + 0.2 * 0.5 + 30 * 0.001), few_s);
  EXPECT_NE(finish(at_once, 0), finish(at_once, 1));
  EXPECT_EQ(finish(run(all(2, {compute(0)}), flat_document(), noise), 0), 0);
}

TEST(Compute, EveryComputationForksOnce) {
  EXPECT_DOUBLE_EQ(alone(of({{compute(3), compute(0), compute(4)}}), {{"fork_s", 0.25}}), 7.5);
  EXPECT_DOUBLE_EQ(alone(of({{compute(3), compute(4)}}), {{"fork_s", 0.25}, {"compute_factor", 2}}),
                   14.5);
}

TEST(Options, AreChecked) {
  const Schedule schedule = of({{}});
  const auto problem = [&](const nlohmann::json& options) {
    return error_of([&] { run(schedule, flat_document(), options); });
  };
  EXPECT_NE(problem({{"compute_facter", 1}}).find("unknown key 'compute_facter'"),
            std::string::npos);
  EXPECT_NE(problem({{"compute_factor", -1}}), "");
  EXPECT_NE(problem({{"engine", "x"}}), "");
  EXPECT_NE(problem({{"collectives", {{"alltoall", {{"algorithm", "x"}}}}}}).find("pairwise"),
            std::string::npos);
  EXPECT_NE(problem({{"collectives", {{"x", {{"algorithm", "ring"}}}}}}), "");
  EXPECT_NE(problem({{"noise", {{"kind", "periodic"}, {"period_s", 1}, {"detour_s", 1}}}}), "");
  EXPECT_NE(problem({{"noise", {{"kind", "detours"}}}}).find("'detours' is empty"),
            std::string::npos);
  EXPECT_NE(problem({{"noise", {{"kind", "detours"}, {"detours", {{{"rate_per_s", 1}}}}}}}), "");
  EXPECT_NE(problem({{"fork_s", -1}}), "");
}

TEST(Options, NetworkDocumentIsChecked) {
  const auto problem = [](const nlohmann::json& change) {
    nlohmann::json document = flat_document();
    document.merge_patch(change);
    return error_of([&] { run(of({{}}), document); });
  };
  EXPECT_EQ(problem(nlohmann::json::object()), "");
  EXPECT_NE(problem({{"model", "x"}}).find("fat_tree"), std::string::npos);
  EXPECT_NE(problem({{"levels", {{"switch", {{"latency_s", nullptr}}}}}}).find("latency_s"),
            std::string::npos);
  EXPECT_NE(problem({{"levels", {{"switch", {{"latency", 1}}}}}}), "");
  for (const char* name : {"gap_per_byte", "send_overhead", "receive_overhead", "crossing"})
    EXPECT_NE(problem({{"levels", {{"switch", {{name, -1}}}}}}), "") << name;
  EXPECT_NE(problem({{"reducton_s_per_byte", 1}}), "");
  EXPECT_NE(problem({{"levels",
                      {{"switch",
                        {{"gap",
                          {{{"minimum_bytes", 0}, {"maximum_bytes", 9}, {"value_s", 1}},
                           {{"minimum_bytes", 5}, {"value_s", 1}}}}}}}}})
                .find("overlap"),
            std::string::npos);
}

}  // namespace
}  // namespace hakaru::replay::test
