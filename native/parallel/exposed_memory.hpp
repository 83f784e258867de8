// The memory that the ranks of a group expose to each other, and their flags: shared among the
// ranks of a node, private otherwise.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "native/parallel/communicator.hpp"

namespace hakaru::parallel {

// How often a flag was raised. Ranks of the same node raise `near` with processor instructions; MPI
// raises `far`, in ways that such instructions need not respect. Waiting adds them.
struct alignas(64) FlagCounters {
  std::uint64_t near, far;
};

class ExposedMemory {
 public:
  // Collective. Throws UserError (usage) on every rank when any gives a negative number of flags,
  // or another than the others. `share`: between the ranks of a node.
  ExposedMemory(const Communicator& group, std::size_t bytes, int flags, bool share);
  ExposedMemory(const ExposedMemory&) = delete;
  ExposedMemory& operator=(const ExposedMemory&) = delete;
  // Collective, once, before the group ends; without it everything stays allocated.
  void release();

  // Flags, then memory: one block, so that one window can expose both.
  std::byte* block() const { return blocks_[rank_]; }
  std::size_t block_bytes() const { return memory_offset() + bytes_of(rank_); }
  std::size_t memory_offset() const { return (flags_ + std::size_t{1}) * sizeof(FlagCounters); }

  int flags() const { return flags_; }
  std::size_t bytes_of(int rank) const { return bytes_[rank]; }
  // Whether load and store instructions reach the memory of a rank.
  bool reaches(int rank) const { return blocks_[rank] != nullptr; }
  bool reaches_all() const;
  std::byte* memory_of(int rank) const { return blocks_[rank] + memory_offset(); }
  FlagCounters& counters_of(int rank, int flag) const {
    return reinterpret_cast<FlagCounters*>(blocks_[rank])[flag];
  }

  // Everything this rank has written before is there for the one that sees the flag raised.
  void raise(int rank, int flag) const {
    __atomic_fetch_add(&counters_of(rank, flag).near, 1, __ATOMIC_RELEASE);
  }
  std::uint64_t raised(int flag) const {
    FlagCounters& counters = counters_of(rank_, flag);
    return __atomic_load_n(&counters.near, __ATOMIC_ACQUIRE) +
           __atomic_load_n(&counters.far, __ATOMIC_ACQUIRE);
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  void agree(const Communicator& group, std::size_t bytes, int flags);
  void allocate_shared(const Communicator& group, std::size_t allocated);
  void share_with_node(const Communicator& group, std::size_t padding);

  int rank_, flags_ = 0;
  std::vector<std::size_t> bytes_;
  std::vector<std::byte*> blocks_;
  std::unique_ptr<std::byte, Free> private_block_;
  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win shared_ = MPI_WIN_NULL;
};

}  // namespace hakaru::parallel
