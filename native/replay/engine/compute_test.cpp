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

constexpr double period = 10, detour = 0.5, step = 0.25;  // barriers take no time

nlohmann::json every_period(bool together, int seed = 1) {
  return {{"noise",
           {{"kind", "periodic"},
            {"period_s", period},
            {"detour_s", detour},
            {"together", together},
            {"seed", seed}}}};
}
nlohmann::json without_cost() {
  return {{"model", "loggp"}, {"levels", {{"switch", {{"latency_s", 0}}}}}};
}
double steps_with_barriers(int ranks, int steps, bool together, int seed = 1) {
  const Stream one{compute(step), collective(Collective::barrier)};
  return run(all(ranks, looped(one, static_cast<std::uint64_t>(steps))), without_cost(),
             every_period(together, seed))
      .makespan_s;
}

TEST(Compute, OneRankMeetsAsManyDetoursTogetherAsAlone) {
  // 9.5 s of work between detours: T s of work see floor or ceil of T / 9.5 of them, in one
  // computation or in many.
  for (const double work : {3.0, 9.4, 95.25, 1234.5})
    for (const int seed : {1, 2, 3}) {
      const double lost = alone(of({{compute(work)}}), every_period(true, seed)) - work;
      EXPECT_GE(lost, detour * std::floor(work / 9.5) - 1e-9) << work;
      EXPECT_LE(lost, detour * std::ceil(work / 9.5) + 1e-9) << work;
      const int pieces = static_cast<int>(work / 0.125);
      const Stream stream(static_cast<std::size_t>(pieces), compute(work / pieces));
      EXPECT_NEAR(alone(of({stream}), every_period(true, seed)), work + lost, detour + 1e-9);
    }
  double lost_together = 0, lost_alone = 0;
  for (int seed = 1; seed <= 400; ++seed) {
    lost_together += alone(of({{compute(25)}}), every_period(true, seed)) - 25;
    lost_alone += alone(of({{compute(25)}}), every_period(false, seed)) - 25;
  }
  // 25 / 9.5 detours in the mean of all phases; five standard deviations of a share of 400.
  EXPECT_NEAR(lost_together / 400, detour * 25 / 9.5, 5 * detour * 0.5 / 20);
  EXPECT_NEAR(lost_alone / 400, detour * 25 / 9.5, 5 * detour * 0.5 / 20);
}

TEST(Compute, DetoursTogetherCostTheirShareHoweverManyRanksWait) {
  // Of every 10 s, 9.5 are left for steps: the share 0.05 is lost, at 1 rank or 64. Apart, each of
  // the ranks interrupts all others, until every step waits for somebody.
  const int steps = 4000;
  const double quiet = steps * step;
  const double share = period / (period - detour);
  for (const int ranks : {1, 4, 64})
    EXPECT_NEAR(steps_with_barriers(ranks, steps, true), quiet * share, detour + 1e-6) << ranks;
  EXPECT_NEAR(steps_with_barriers(1, steps, false), quiet * share, detour + 1e-6);
  double before = quiet * share;
  for (const int ranks : {4, 16, 256}) {
    const double apart = steps_with_barriers(ranks, steps, false);
    EXPECT_GT(apart, 1.05 * before) << ranks;
    EXPECT_LE(apart, steps * (step + detour) + 1e-6) << "a detour a step at most";
    before = apart;
  }
  EXPECT_NEAR(before, steps * (step + detour), 0.05 * before) << "256 ranks: one in every step";
}

TEST(Compute, ShortStepsGoOnWhileNoRankIsInADetour) {
  // Of P phases drawn at random the time outside of all detours is (1 - d/p)^P in the mean. Steps
  // of 0.01 s are short against the detour of 0.5 s. Five standard deviations of a mean of 200,
  // with one of 0.03 for one drawing.
  const int ranks = 8, steps = 2000, seeds = 200;
  const Stream one{compute(0.01), collective(Collective::barrier)};
  double going = 0;
  for (int seed = 1; seed <= seeds; ++seed)
    going +=
        steps * 0.01 /
        run(all(ranks, looped(one, steps)), without_cost(), every_period(false, seed)).makespan_s;
  EXPECT_NEAR(going / seeds, std::pow(1 - detour / period, ranks), 5 * 0.03 / std::sqrt(seeds));
}

TEST(Compute, WhatBeginsInADetourOfAllWaitsForItsEnd) {
  // Computing of 0.1 s begins at all times of a period, when a message comes. Of 10 s it begins in
  // a detour for 0.5 and waits 0.25 in the mean, and for 0.1 a detour begins within it and puts it
  // off by 0.5. All that begin in the detour end together.
  const int times = 1000;
  double lost = 0, first_end = 0;
  int inside = 0;
  for (int i = 0; i < times; ++i) {
    nlohmann::json network = without_cost();
    const double begin_s = period * i / times;
    network["levels"]["switch"]["latency_s"] = begin_s;
    const Schedule schedule = of({{send(1, 0)}, {receive(0, 0), compute(0.1)}});
    const double end_s = finish(run(schedule, network, every_period(true)), 1);
    const double late_s = end_s - begin_s - 0.1;
    EXPECT_GE(late_s, -1e-9);
    EXPECT_LE(late_s, detour + 1e-9);
    lost += late_s;
    if (late_s < 1e-9 || late_s > detour - 1e-9) continue;
    if (inside++ == 0) first_end = end_s;
    EXPECT_NEAR(end_s, first_end, 1e-9) << begin_s;
  }
  EXPECT_NEAR(inside, times * detour / period, 1);
  EXPECT_NEAR(lost / times, 0.05 * 0.25 + 0.01 * 0.5, 0.0006);
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

nlohmann::json detours(double rate_per_s, double detour_s, bool calls) {
  return {{"noise",
           {{"kind", "detours"},
            {"calls", calls},
            {"detours", {{{"rate_per_s", rate_per_s}, {"detour_s", detour_s}}}}}}};
}

TEST(Noise, StrikesCallsOnlyWhenAsked) {
  // The sender never waits: its calls take the processor for 1 s each, and lose rate x length of
  // it.
  const int messages = 20000;
  const Schedule schedule = of({Stream(messages, send(1, 1)), Stream(messages, receive(0, 1))});
  const double quiet_s = finish(run(schedule, flat_document()), 0);
  EXPECT_DOUBLE_EQ(quiet_s, messages * o_s);
  EXPECT_EQ(finish(run(schedule, flat_document(), detours(0.2, 0.5, false)), 0), quiet_s);
  const double lost_s = messages * o_s * 0.2 * 0.5;
  EXPECT_NEAR(finish(run(schedule, flat_document(), detours(0.2, 0.5, true)), 0), quiet_s + lost_s,
              5 * 0.5 * std::sqrt(0.2 * messages));
}

// How long ranks that wait L for a message are held by detours beyond it, in the mean.
double mean_hold(double rate_per_s, double detour_s) {
  const std::int32_t pairs = 20000;
  std::vector<Stream> streams;
  for (std::int32_t rank = 0; rank < pairs; ++rank) {
    streams.push_back({send(2 * rank + 1, 1)});
    streams.push_back({receive(2 * rank, 1)});
  }
  nlohmann::json free = flat_document();
  free["levels"]["switch"] = {{"latency_s", L}};
  const Result quiet = run(of(streams), free);
  const Result struck = run(of(streams), free, detours(rate_per_s, detour_s, true));
  double sum_s = 0;
  for (std::size_t pair = 0; pair < static_cast<std::size_t>(pairs); ++pair)
    sum_s += (finish(struck, 2 * pair + 1) - finish(struck, 2 * pair)) -
             (finish(quiet, 2 * pair + 1) - finish(quiet, 2 * pair));
  return sum_s / pairs;
}

TEST(Noise, HoldsAWaitThatADetourOutlasts) {
  // A wait of 10 s and detours of 4 s: one that began in its last 4 s is over after 2 s more, in
  // the mean. With detours of 40 s: one that began in the wait has 35 s left.
  const double rate = 0.01;
  const double within = -std::expm1(-rate * 4), beyond = -std::expm1(-rate * L);
  EXPECT_NEAR(mean_hold(rate, 4), within * 2, 5 * 4 * std::sqrt(within / 20000));
  EXPECT_NEAR(mean_hold(rate, 40), beyond * (40 - L / 2), 5 * 40 * std::sqrt(beyond / 20000));
  EXPECT_EQ(mean_hold(0, 40), 0);
}

TEST(Noise, WaitsEndAfterAPeriodicDetour) {
  // Detours take half of the time: whoever waits for a message ends either when it comes or when
  // the detour does.
  const std::int32_t pairs = 4000;
  std::vector<Stream> streams;
  for (std::int32_t pair = 0; pair < pairs; ++pair) {
    streams.push_back({send(2 * pair + 1, 1)});
    streams.push_back({receive(2 * pair, 1)});
  }
  nlohmann::json free = flat_document();
  free["levels"]["switch"] = {{"latency_s", L}};
  const Result result =
      run(of(streams), free,
          {{"noise", {{"kind", "periodic"}, {"period_s", 2}, {"detour_s", 1}, {"calls", true}}}});
  double sum_s = 0;
  int held = 0;
  for (std::size_t pair = 0; pair < static_cast<std::size_t>(pairs); ++pair) {
    const double hold_s = finish(result, 2 * pair + 1) - finish(result, 2 * pair) - L;
    EXPECT_LE(hold_s, 1.0);
    EXPECT_GE(hold_s, 0.0);
    sum_s += hold_s;
    held += hold_s > 1e-9;
  }
  EXPECT_NEAR(held, pairs / 2.0, 5 * std::sqrt(pairs / 4.0));
  EXPECT_NEAR(sum_s / pairs, 0.25, 5 * 0.33 / std::sqrt(pairs));
}

TEST(Noise, LeavesWhatAllPayTogether) {
  // The switch or the adapters are not struck; the wait for the last rank is.
  nlohmann::json options = detours(100, 0.5, true);
  options["collectives"]["allreduce"] = {{"algorithm", "hardware"}, {"hardware_s", 3}};
  const Schedule schedule = all(8, {collective(Collective::allreduce, 8)});
  EXPECT_DOUBLE_EQ(run(schedule, flat_document(), options).makespan_s, 3);
  options["collectives"]["allreduce"] = {{"algorithm", "recursive_doubling"}};
  EXPECT_GT(run(schedule, flat_document(), options).makespan_s, 3 * (o_s + L + o_r));
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
  EXPECT_NE(problem({{"noise", {{"kind", "none"}, {"together", "x"}}}}), "");
  EXPECT_NE(problem({{"noise", {{"kind", "exponential"}, {"mean_s", 1}, {"together", true}}}})
                .find("together"),
            std::string::npos);
  EXPECT_NE(problem({{"noise", {{"kind", "detours"}}}}).find("'detours' is empty"),
            std::string::npos);
  EXPECT_NE(problem({{"noise", {{"kind", "detours"}, {"detours", {{{"rate_per_s", 1}}}}}}}), "");
  EXPECT_NE(problem({{"noise", {{"kind", "gaussian"}, {"relative_deviation", 1}, {"calls", true}}}})
                .find("does not strike calls"),
            std::string::npos);
  EXPECT_NE(problem({{"noise", {{"kind", "none"}, {"calls", 1}}}}), "");
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
