// Where the threads of every rank may run and do run, as the kernel says, not as it was asked for.
#pragma once

#include <string>
#include <vector>

#include "native/base/description.hpp"
#include "native/harness/ranks.hpp"

namespace hakaru::harness {

struct ThreadBinding {
  int thread;
  std::vector<int> allowed;  // processors that the kernel lets this thread run on
  int seen;                  // processor that it was on when asked
};

// One entry for each OpenMP thread of this rank.
std::vector<ThreadBinding> observe_threads(int threads);

struct BindingReport {
  base::json ranks = base::json::array();  // per rank: host and threads
  std::vector<std::string> hosts;          // distinct, in order of first rank
  std::vector<std::string> problems;       // in words
  bool oversubscribed = false;             // more threads than processors they may use
};

// Collective; complete at rank 0 only.
BindingReport observe_binding(Ranks& ranks, int threads);

// What is wrong with a binding: more threads than processors, several threads confined to one
// processor. `ranks` is the "binding" array of a record.
void judge_binding(BindingReport& report);

}  // namespace hakaru::harness
