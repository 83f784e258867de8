// The file of two-electron integrals, as the published program keeps them: each rank writes its own
// part once and reads it in each iteration. Nobody sees it again: it loses its name when all have
// opened it to read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/hartree_fock/blocks.hpp"
#include "native/parallel/shared_file.hpp"

namespace hakaru::apps::hartree_fock {

class ScratchFile {
 public:
  // Collective. `first` is the number of doubles that lower ranks write. Throws
  // UserError(environment) on all ranks.
  ScratchFile(const std::string& path, std::size_t first, const parallel::Communicator& world);
  ~ScratchFile();

  void write(const Block& block, const double* integrals);
  // After the last write, on all ranks. Throws UserError(environment) on all ranks when not
  // everything was written, and leaves no file.
  void turn();
  // False when the block is not what was written.
  bool read(const Block& block, double* integrals);

 private:
  void remove(bool good);
  // Collective. Else the file is removed, and UserError thrown on all ranks.
  void require_whole(bool good);

  const parallel::Communicator& world_;
  std::string path_;
  std::size_t first_;
  bool named_ = true;
  std::optional<parallel::SharedFile> file_;
  std::vector<std::uint64_t> sums_;  // of the bits of each block, in the order of writing
  std::vector<std::size_t> begins_;
};

// A name in the folder that no other run has; the same on all ranks. Collective.
std::string scratch_name(const std::string& folder, const parallel::Communicator& world);

}  // namespace hakaru::apps::hartree_fock
