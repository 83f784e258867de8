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

Rounds::Rounds(const parallel::Communicator& communicator, std::vector<Point> points,
               const Budget& budget)
    : communicator_(communicator), points_(std::move(points)), left_s_(1.2 * budget.seconds) {
  const std::vector<Cost> costs = estimate(communicator, points_, budget);
  std::vector<int> most;
  for (std::size_t i = 0; i < costs.size(); ++i) most.push_back(points_[i].most_iterations);
  plan_ = plan_rounds(costs, most, budget);
}

void Rounds::take(int turn, int turns) {
  const auto due = static_cast<int>(std::int64_t{plan_.rounds} * (turn + 1) / turns);
  while (taken_ < due && take_one()) ++taken_;
}

bool Rounds::take_one() {
  const double start_s = base::now_s();
  for (std::size_t i = 0; i < plan_.points; ++i) {
    const double seconds = points_[i].measure(plan_.iterations[i]);
    if (communicator_.rank() == 0) points_[i].keep(taken_, seconds);
    const bool late = taken_ > 0 && base::now_s() - start_s > left_s_;
    if (from_first(communicator_, late ? 1.0 : 0.0) != 0.0) {
      plan_.rounds = taken_;
      return false;
    }
  }
  left_s_ -= base::now_s() - start_s;
  return true;
}

}  // namespace hakaru::probes::messages
