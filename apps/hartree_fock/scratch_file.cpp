#include "apps/hartree_fock/scratch_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "native/base/atomic_file.hpp"
#include "native/base/require.hpp"

namespace hakaru::apps::hartree_fock {
namespace {

std::uint64_t sum_of_bits(const double* numbers, std::size_t count) {
  std::uint64_t sum = count;
  for (std::size_t i = 0; i < count; ++i) sum += std::bit_cast<std::uint64_t>(numbers[i]);
  return sum;
}

void require_written(bool good, const std::string& path) {
  base::require_environment(good, "cannot write the integrals to " + path,
                            "its folder cannot be written or the disk is full",
                            "free some space, choose another scratch folder, or take "
                            "integrals=memory or integrals=direct");
}

}  // namespace

ScratchFile::ScratchFile(const std::string& path, std::size_t first,
                         const parallel::Communicator& world)
    : world_(world), path_(path), first_(first) {
  file_.emplace(world, path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  require_whole(file_->is_open());
}

ScratchFile::~ScratchFile() {
  if (named_ && world_.rank() == 0) ::unlink(path_.c_str());
}

// No rank that fails ends the others by its exit status before the name is gone.
void ScratchFile::remove(bool good) {
  if (world_.rank() == 0) ::unlink(path_.c_str());
  named_ = false;
  if (!good) world_.barrier();
}

void ScratchFile::require_whole(bool good) {
  const bool whole = world_.all(good);
  if (!whole) remove(whole);
  require_written(whole, path_);
}

void ScratchFile::write(const Block& block, const double* integrals) {
  sums_.push_back(sum_of_bits(integrals, block.numbers));
  begins_.push_back(block.before);
  file_->write((first_ + block.before) * sizeof(double), integrals, block.bytes());
}

void ScratchFile::turn() {
  file_->close();
  require_whole(file_->good());
  file_.emplace(world_, path_, MPI_MODE_RDONLY);
  const bool open = world_.all(file_->is_open());
  remove(open);
  base::require_environment(open, "cannot read the integrals from " + path_,
                            "not all ranks can open it", "choose a folder that all hosts see");
}

bool ScratchFile::read(const Block& block, double* integrals) {
  file_->read((first_ + block.before) * sizeof(double), integrals, block.bytes());
  const auto found = std::ranges::find(begins_, block.before);
  return file_->good() && found != begins_.end() &&
         sums_[static_cast<std::size_t>(found - begins_.begin())] ==
             sum_of_bits(integrals, block.numbers);
}

std::string scratch_name(const std::string& folder, const parallel::Communicator& world) {
  std::vector<std::int64_t> process{::getpid()};
  world.broadcast(process, 0);
  return fmt::format("{}/hartree_fock.{}.integrals", folder, process[0]);
}

}  // namespace hakaru::apps::hartree_fock
