#include "probes/messages/rounds.hpp"

#include <algorithm>

#include "native/base/clock.hpp"

namespace hakaru::probes::messages {
namespace {

double from_first(const parallel::Communicator& communicator, double value) {
  HAKARU_MPI(MPI_Bcast(&value, 1, MPI_DOUBLE, 0, communicator.handle()));
  return value;
}

// One more measurement of a point, timed inside and as a whole; the smaller of each is kept against
// disturbances.
void refine(const parallel::Communicator& communicator, const Point& point, int iterations,
            Cost& cost) {
  const double start = base::now_s();
  const double seconds = point.measure(iterations);
  const double whole_s = base::now_s() - start;
  cost.iteration_s = from_first(communicator, std::min(cost.iteration_s, seconds));
  const double around_s = std::max(whole_s - iterations * seconds, 0.0);
  cost.around_s = from_first(communicator, std::min(cost.around_s, around_s));
}

// Estimates until the least rounds of what was estimated fill the budget; the later points are too
// slow to be measured.
std::vector<Cost> estimate(const parallel::Communicator& communicator,
                           const std::vector<Point>& points, const Budget& budget) {
  constexpr double unknown = 1e30, long_enough_s = 0.01;
  std::vector<Cost> costs;
  double round_s = 0.0;
  for (const auto& point : points) {
    Cost cost{unknown, unknown};
    refine(communicator, point, 1, cost);
    if (cost.iteration_s < long_enough_s)
      for (int trial = 0; trial < 2; ++trial) refine(communicator, point, 2, cost);
    point.estimated(cost.iteration_s);
    costs.push_back(cost);
    round_s += cost.iteration_s + cost.around_s;
    if (round_s * budget.least_rounds > budget.seconds) break;
  }
  return costs;
}

}  // namespace

Plan plan_rounds(const std::vector<Cost>& costs, const std::vector<int>& most_iterations,
                 const Budget& budget) {
  Plan plan;
  if (costs.empty()) return plan;
  double shortest_round_s = 0.0;
  for (const auto& cost : costs) {
    shortest_round_s += cost.iteration_s + cost.around_s;
    if (plan.points > 0 && shortest_round_s * budget.least_rounds > budget.seconds) break;
    ++plan.points;
  }
  const double share_s = budget.seconds / budget.rounds / static_cast<double>(plan.points);
  double round_s = 0.0;
  for (std::size_t i = 0; i < plan.points; ++i) {
    const double fitting = (share_s - costs[i].around_s) / std::max(costs[i].iteration_s, 1e-9);
    plan.iterations.push_back(
        static_cast<int>(std::clamp(fitting, 1.0, static_cast<double>(most_iterations[i]))));
    round_s += plan.iterations[i] * costs[i].iteration_s + costs[i].around_s;
  }
  const double rounds = budget.seconds / std::max(round_s, 1e-9);
  const double least = std::min(budget.least_rounds, budget.rounds);
  plan.rounds = static_cast<int>(std::clamp(rounds, least, static_cast<double>(budget.rounds)));
  while (plan.rounds > 1 && plan.rounds * round_s > 2.0 * budget.seconds) --plan.rounds;
  return plan;
}

std::size_t measure_in_rounds(const parallel::Communicator& communicator,
                              const std::vector<Point>& points, const Budget& budget,
                              const std::function<void(double)>& progress) {
  const std::vector<Cost> costs = estimate(communicator, points, budget);
  std::vector<int> most;
  for (std::size_t i = 0; i < costs.size(); ++i) most.push_back(points[i].most_iterations);
  const Plan plan = plan_rounds(costs, most, budget);
  const double deadline_s = base::now_s() + 1.2 * budget.seconds;
  for (int round = 0; round < plan.rounds; ++round) {
    progress(static_cast<double>(round) / plan.rounds);
    for (std::size_t i = 0; i < plan.points; ++i) {
      const double seconds = points[i].measure(plan.iterations[i]);
      if (communicator.rank() == 0) points[i].keep(round, seconds);
      const bool late = round > 0 && base::now_s() > deadline_s;
      if (from_first(communicator, late ? 1.0 : 0.0) != 0.0) return plan.points;
    }
  }
  return plan.points;
}

}  // namespace hakaru::probes::messages
