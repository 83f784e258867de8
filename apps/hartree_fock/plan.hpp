// Which quartets of shells are computed, and by whom.
//
// Pairs are sorted by their Schwarz bounds within lists of one kind. A task is a pair (bra) with
// all pairs that come before it or are itself (kets) and whose product of bounds reaches the
// threshold: of each list a beginning, so that the plan is a number for each pair and list, and
// every quartet that differs by symmetry is in one task.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/hartree_fock/pairs.hpp"

namespace hakaru::apps::hartree_fock {

struct Task {
  int list, position;      // of the bra
  double flops;            // of its integrals
  std::int64_t integrals;  // numbers in the order of for_each_batch
};

class Plan {
 public:
  // `lists` in any order; pairs whose product with every other is below the threshold are dropped.
  // Threads share the work.
  Plan(const Basis& basis, const std::vector<PairList>& lists, double threshold);

  const std::vector<PairList>& lists() const { return lists_; }
  // The most expensive first.
  const std::vector<Task>& tasks() const { return tasks_; }
  // Pairs of the list that are kets of the task: the first so many.
  int kets(const Task& task, int list) const;

  std::int64_t integrals() const;
  std::int64_t quartets() const;
  double flops() const;

  // body(list, batch, pairs of the batch that are kets) in order.
  template <typename Body>
  void for_each_batch(const Task& task, const Body& body) const {
    for (int list = 0; list <= task.list; ++list) {
      const int count = kets(task, list);
      for (int first = 0; first < count; first += lanes)
        body(list, first / lanes, count - first < lanes ? count - first : lanes);
    }
  }

  // Tasks of each of `parts`, the most expensive first: each task goes to the part that has least
  // so far, the first of them where several have (R. Graham, SIAM J. Appl. Math. 17, 416, 1969: at
  // most a third above the best).
  std::vector<std::vector<int>> shares(int parts) const;

 private:
  void add_tasks();

  double threshold_;
  std::vector<PairList> lists_;
  std::vector<std::vector<double>> bounds_;
  std::vector<Task> tasks_;
};

}  // namespace hakaru::apps::hartree_fock
