// Two-electron integrals of this rank's tasks: kept in memory or in a file, or computed when they
// are needed.
#pragma once

#include <memory>
#include <vector>

#include "apps/hartree_fock/blocks.hpp"
#include "apps/hartree_fock/fock.hpp"
#include "apps/hartree_fock/scratch_file.hpp"
#include "apps/hartree_fock/settings.hpp"
#include "apps/hartree_fock/tickets.hpp"
#include "native/base/phases.hpp"

namespace hakaru::apps::hartree_fock {

// Where a calculation's integrals are. Created by all ranks at once.
class Integrals {
 public:
  Integrals(const Plan& plan, const Settings& settings, const std::string& scratch,
            const parallel::Communicator& world, base::Phases& phases);

  // Computes those that are kept. Collective.
  void prepare();
  // Adds them to the Fock matrix of the builder's density; false when what was kept has changed.
  bool add_to(FockBuilder& builder);

 private:
  struct Kept {
    Block block;
    base::AlignedArray<double> numbers;
  };
  void keep_in_memory(const std::vector<int>& tasks);
  void write_file();
  void add(FockBuilder& builder, const Block& block, const double* numbers);
  void add_directly(FockBuilder& builder, const std::vector<int>& tasks);
  // body(tasks) once with all tasks of this rank, or with a few at a time until all are given away.
  template <typename Body>
  void for_own_tasks(const Body& body);

  const Plan& plan_;
  const Settings& settings_;
  const parallel::Communicator& world_;
  base::Phases& phases_;
  std::string scratch_;
  std::vector<int> own_;
  std::vector<Kept> kept_;
  std::vector<Block> blocks_;  // of the file
  base::AlignedArray<double> buffer_;
  std::unique_ptr<ScratchFile> file_;
  std::unique_ptr<Tickets> tickets_;
};

}  // namespace hakaru::apps::hartree_fock
