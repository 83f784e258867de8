#include "apps/hartree_fock/plan.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "apps/hartree_fock/repulsion.hpp"

namespace hakaru::apps::hartree_fock {

Plan::Plan(const Basis& basis, const std::vector<PairList>& lists, double threshold)
    : threshold_(threshold) {
  std::vector<std::vector<double>> bounds;
  double largest = 0.0;
  for (const PairList& list : lists) {
    bounds.push_back(schwarz_bounds(list));
    largest = std::max(largest, *std::ranges::max_element(bounds.back()));
  }
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::vector<int> order(bounds[i].size());
    std::iota(order.begin(), order.end(), 0);
    std::erase_if(order, [&](int k) { return bounds[i][k] * largest < threshold; });
    std::ranges::stable_sort(order, std::greater(), [&](int k) { return bounds[i][k]; });
    if (order.empty()) continue;
    std::vector<ShellPair> pairs;
    bounds_.emplace_back();
    for (const int k : order) {
      pairs.push_back(lists[i].pair(k));
      bounds_.back().push_back(bounds[i][k]);
    }
    lists_.emplace_back(basis, lists[i].type(), std::move(pairs));
  }
  add_tasks();
}

int Plan::kets(const Task& task, int list) const {
  if (list > task.list) return 0;
  const double bound = bounds_[task.list][task.position];
  const auto& others = bounds_[list];
  const auto end = list == task.list ? others.begin() + task.position + 1 : others.end();
  const auto last = std::partition_point(others.begin(), end,
                                         [&](double other) { return bound * other >= threshold_; });
  return static_cast<int>(last - others.begin());
}

void Plan::add_tasks() {
  // Primitive pairs of the first batches of each list.
  std::vector<std::vector<double>> primitives(lists_.size());
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    primitives[i].push_back(0.0);
    for (int batch = 0; batch < lists_[i].batches(); ++batch)
      primitives[i].push_back(primitives[i].back() + lists_[i].primitives(batch));
  }
  for (int list = 0; list < static_cast<int>(lists_.size()); ++list)
    for (int position = 0; position < lists_[list].size(); ++position) {
      Task task{list, position, 0.0, 0};
      const int type = lists_[list].type(), own = lists_[list].primitives(position / lanes);
      for (int other = 0; other <= list; ++other) {
        const int count = kets(task, other), batches = (count + lanes - 1) / lanes;
        const int ket = lists_[other].type();
        task.integrals += std::int64_t{count} * products(type) * products(ket);
        task.flops += lanes * own *
                      (primitives[other][batches] * flops_of_primitives(type, ket) +
                       batches * flops_of_bra(type, ket));
      }
      if (task.integrals > 0) tasks_.push_back(task);
    }
  std::ranges::stable_sort(tasks_, std::greater(), &Task::flops);
}

std::int64_t Plan::integrals() const {
  std::int64_t sum = 0;
  for (const Task& task : tasks_) sum += task.integrals;
  return sum;
}

std::int64_t Plan::quartets() const {
  std::int64_t sum = 0;
  for (const Task& task : tasks_)
    for (int list = 0; list <= task.list; ++list) sum += kets(task, list);
  return sum;
}

double Plan::flops() const {
  double sum = 0.0;
  for (const Task& task : tasks_) sum += task.flops;
  return sum;
}

std::vector<std::vector<int>> Plan::shares(int parts) const {
  std::vector<std::vector<int>> result(static_cast<std::size_t>(parts));
  using Load = std::pair<double, int>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> least;
  for (int part = 0; part < parts; ++part) least.push({0.0, part});
  for (int i = 0; i < static_cast<int>(tasks_.size()); ++i) {
    auto [load, part] = least.top();
    least.pop();
    result[part].push_back(i);
    least.push({load + tasks_[i].flops, part});
  }
  return result;
}

}  // namespace hakaru::apps::hartree_fock
