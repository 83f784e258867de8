#include "apps/hartree_fock/integrals.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "apps/hartree_fock/phases.hpp"
#include "apps/hartree_fock/repulsion.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

// Tasks that a rank draws at once for each of its threads.
constexpr int drawn_for_a_thread = 2;

}  // namespace

Integrals::Integrals(const Plan& plan, const Settings& settings, const std::string& scratch,
                     const parallel::Communicator& world, base::Phases& phases)
    : plan_(plan),
      settings_(settings),
      world_(world),
      phases_(phases),
      scratch_(scratch),
      own_(plan.shares(world.size())[world.rank()]) {
  if (settings.dynamic) tickets_ = std::make_unique<Tickets>(world);
}

template <typename Body>
void Integrals::for_own_tasks(const Body& body) {
  if (!tickets_) return body(own_);
  tickets_->reset();
  const std::int64_t all = static_cast<std::int64_t>(plan_.tasks().size());
  const int count = drawn_for_a_thread * omp_get_max_threads();
  for (;;) {
    const std::int64_t first = tickets_->draw(count);
    if (first >= all) return;
    std::vector<int> tasks(static_cast<std::size_t>(std::min<std::int64_t>(count, all - first)));
    std::iota(tasks.begin(), tasks.end(), static_cast<int>(first));
    body(tasks);
  }
}

void Integrals::prepare() {
  if (settings_.keeping == Keeping::direct) return;
  if (settings_.keeping == Keeping::disk) return write_file();
  auto phase = phases_.scope(phase::two_electron);
  for_own_tasks([&](const std::vector<int>& tasks) { keep_in_memory(tasks); });
}

void Integrals::keep_in_memory(const std::vector<int>& tasks) {
  for (Block& block : blocks_of(plan_, tasks, std::numeric_limits<double>::max())) {
    kept_.push_back({std::move(block), {}});
    Kept& kept = kept_.back();
    kept.numbers = base::AlignedArray<double>(kept.block.numbers);
    compute(plan_, kept.block, kept.numbers.data());
  }
}

void Integrals::write_file() {
  blocks_ = blocks_of(plan_, own_, static_cast<double>(settings_.buffer));
  std::size_t largest = 0, first = 0;
  for (const Block& block : blocks_) largest = std::max(largest, block.numbers);
  buffer_ = base::AlignedArray<double>(largest);
  const auto shares = plan_.shares(world_.size());
  for (int rank = 0; rank < world_.rank(); ++rank)
    for (const int task : shares[rank])
      first += static_cast<std::size_t>(plan_.tasks()[task].integrals);
  {
    auto phase = phases_.scope(phase::io);
    file_ = std::make_unique<ScratchFile>(scratch_, first, world_);
  }
  for (const Block& block : blocks_) {
    {
      auto phase = phases_.scope(phase::two_electron);
      compute(plan_, block, buffer_.data());
    }
    auto phase = phases_.scope(phase::io);
    file_->write(block, buffer_.data());
  }
  auto phase = phases_.scope(phase::io);
  file_->turn();
}

bool Integrals::add_to(FockBuilder& builder) {
  bool unchanged = true;
  if (settings_.keeping == Keeping::direct) {
    auto phase = phases_.scope(phase::two_electron);
    for_own_tasks([&](const std::vector<int>& tasks) { add_directly(builder, tasks); });
  }
  if (settings_.keeping == Keeping::memory) {
    auto phase = phases_.scope(phase::fock);
    for (const Kept& kept : kept_) add(builder, kept.block, kept.numbers.data());
  }
  for (const Block& block : blocks_) {
    {
      auto phase = phases_.scope(phase::io);
      unchanged = file_->read(block, buffer_.data()) && unchanged;
    }
    auto phase = phases_.scope(phase::fock);
    add(builder, block, buffer_.data());
  }
  return unchanged;
}

void Integrals::add(FockBuilder& builder, const Block& block, const double* numbers) {
  const int tasks = static_cast<int>(block.tasks.size());
#pragma omp parallel
  {
    FockBuilder::Adder& adder = builder.adder(omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < tasks; ++i) {
      const Task& task = plan_.tasks()[block.tasks[i]];
      const PairList& bra = plan_.lists()[task.list];
      const double* at = numbers + block.first[i];
      adder.begin(task);
      plan_.for_each_batch(task, [&](int list, int batch, int count) {
        adder.add(list, batch, count, at);
        at += count * products(bra.type()) * products(plan_.lists()[list].type());
      });
      adder.end();
    }
  }
}

void Integrals::add_directly(FockBuilder& builder, const std::vector<int>& own) {
  const int tasks = static_cast<int>(own.size());
#pragma omp parallel
  {
    FockBuilder::Adder& adder = builder.adder(omp_get_thread_num());
    alignas(64) double some[lanes * most_of_quartet];
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < tasks; ++i) {
      const Task& task = plan_.tasks()[own[i]];
      const PairList& bra = plan_.lists()[task.list];
      adder.begin(task);
      plan_.for_each_batch(task, [&](int list, int batch, int count) {
        repulsion(bra, task.position, plan_.lists()[list], batch, some);
        adder.add(list, batch, count, some);
      });
      adder.end();
    }
  }
}

}  // namespace hakaru::apps::hartree_fock
