#include "apps/hartree_fock/blocks.hpp"

#include <algorithm>

#include "apps/hartree_fock/repulsion.hpp"

namespace hakaru::apps::hartree_fock {

std::vector<Block> blocks_of(const Plan& plan, const std::vector<int>& tasks, double most_bytes) {
  std::vector<Block> blocks;
  for (const int index : tasks) {
    const auto numbers = static_cast<std::size_t>(plan.tasks()[index].integrals);
    const double together =
        blocks.empty() ? 0.0 : double(blocks.back().numbers + numbers) * sizeof(double);
    if (blocks.empty() || together > most_bytes) {
      const std::size_t before = blocks.empty() ? 0 : blocks.back().before + blocks.back().numbers;
      blocks.push_back({});
      blocks.back().before = before;
    }
    Block& block = blocks.back();
    block.tasks.push_back(index);
    block.first.push_back(block.numbers);
    block.numbers += numbers;
  }
  return blocks;
}

void compute(const Plan& plan, const Block& block, double* out) {
  const int tasks = static_cast<int>(block.tasks.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < tasks; ++i) {
    alignas(64) double some[lanes * most_of_quartet];
    const Task& task = plan.tasks()[block.tasks[i]];
    const PairList& bra = plan.lists()[task.list];
    double* at = out + block.first[i];
    plan.for_each_batch(task, [&](int list, int batch, int count) {
      const PairList& ket = plan.lists()[list];
      const int numbers = count * products(bra.type()) * products(ket.type());
      repulsion(bra, task.position, ket, batch, count == lanes ? at : some);
      if (count < lanes) std::copy_n(some, numbers, at);
      at += numbers;
    });
  }
}

}  // namespace hakaru::apps::hartree_fock
