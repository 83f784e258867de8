// What a calculation costs, and what a rank does in it.
#pragma once

#include <memory>

#include "apps/hartree_fock/calculation.hpp"
#include "native/harness/program.hpp"

namespace hakaru::apps::hartree_fock {

// With iterations = 0 nobody knows how many there will be: so many are counted.
inline constexpr int assumed_iterations = 12;

// The work of a molecule's integrals, without its numbers.
struct Counts {
  int functions = 0, shells = 0;
  std::int64_t integrals = 0, quartets = 0;
  double pair_flops = 0.0, overlap_flops = 0.0, attraction_flops = 0.0;
  struct Part {
    double flops;
    std::int64_t integrals;
  };
  std::vector<Part> tasks;               // the most expensive first
  std::vector<std::vector<int>> shares;  // by rank
};
std::shared_ptr<const Counts> count(const Settings& settings, int ranks);

base::Work size_of(const Settings& settings, const Counts& counts, const base::Layout& layout);
harness::RankSchedule rank_schedule(const Settings& settings, std::shared_ptr<const Counts> counts);

}  // namespace hakaru::apps::hartree_fock
