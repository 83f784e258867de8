// Tasks whose integrals lie one after the other: in memory, or in a part of a file.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/hartree_fock/plan.hpp"

namespace hakaru::apps::hartree_fock {

struct Block {
  std::vector<int> tasks;
  std::vector<std::size_t> first;  // numbers before the integrals of each task
  std::size_t numbers = 0;
  std::size_t before = 0;  // numbers of blocks before it on this rank

  std::size_t bytes() const { return numbers * sizeof(double); }
};

// Tasks in their order, in blocks of so many bytes or of one task that has more.
std::vector<Block> blocks_of(const Plan& plan, const std::vector<int>& tasks, double most_bytes);

// Integrals of the block's tasks, to `out`. Threads share the tasks.
void compute(const Plan& plan, const Block& block, double* out);

}  // namespace hakaru::apps::hartree_fock
