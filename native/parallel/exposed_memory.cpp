#include "native/parallel/exposed_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "native/base/require.hpp"

namespace hakaru::parallel {
namespace {

constexpr std::size_t alignment = 64;

std::size_t padding_of(const std::byte* memory) {
  return (alignment - reinterpret_cast<std::uintptr_t>(memory) % alignment) % alignment;
}

// Else the first PUTs and GETs would map its pages. A network's card has them when memory is
// registered.
void map_pages(const std::byte* memory, std::size_t bytes) {
  constexpr std::size_t page = 4096;
  for (std::size_t i = 0; i < bytes; i += page)
    static_cast<void>(*static_cast<const volatile std::byte*>(memory + i));
}

}  // namespace

ExposedMemory::ExposedMemory(const Communicator& group, std::size_t bytes, int flags, bool share)
    : rank_(group.rank()), blocks_(group.size(), nullptr) {
  agree(group, bytes, flags);
  const std::size_t allocated = (block_bytes() + 2 * alignment - 1) / alignment * alignment;
  if (share && group.size() > 1) allocate_shared(group, allocated);
  if (shared_ == MPI_WIN_NULL) {
    private_block_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, allocated)));
    base::require_environment(private_block_ != nullptr, "memory for PUT and GET is missing",
                              fmt::format("{} B were asked for", allocated));
    blocks_[rank_] = private_block_.get();
  }
  const std::size_t padding = padding_of(blocks_[rank_]);
  blocks_[rank_] += padding;
  std::memset(block(), 0, block_bytes());
  if (shared_ != MPI_WIN_NULL) share_with_node(group, padding);
}

void ExposedMemory::agree(const Communicator& group, std::size_t bytes, int flags) {
  std::vector<std::uint64_t> wishes(2 * static_cast<std::size_t>(group.size()));
  const std::uint64_t own[2] = {bytes, static_cast<std::uint64_t>(std::int64_t{flags})};
  HAKARU_MPI(PMPI_Allgather(own, 2, MPI_UINT64_T, wishes.data(), 2, MPI_UINT64_T, group.handle()));
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto theirs = static_cast<std::int64_t>(wishes[2 * rank + 1]);
    base::require(theirs >= 0 && theirs == static_cast<std::int64_t>(wishes[1]),
                  "the flags of a remote memory cannot be made",
                  fmt::format("rank {} asks for {}, rank 0 for {}", rank, theirs,
                              static_cast<std::int64_t>(wishes[1])),
                  "give all ranks the same number, 0 or more");
    base::require(wishes[2 * rank] < std::numeric_limits<std::size_t>::max() / 4,
                  "a remote memory of this length cannot be made",
                  fmt::format("rank {} asks for {} B", rank, wishes[2 * rank]));
    bytes_.push_back(wishes[2 * rank]);
  }
  flags_ = flags;
}

// A node with one rank of the group shares nothing.
void ExposedMemory::allocate_shared(const Communicator& group, std::size_t allocated) {
  HAKARU_MPI(PMPI_Comm_split_type(group.handle(), MPI_COMM_TYPE_SHARED, group.rank(), MPI_INFO_NULL,
                                  &node_));
  int ranks = 0;
  HAKARU_MPI(PMPI_Comm_size(node_, &ranks));
  if (ranks == 1) return;
  HAKARU_MPI(PMPI_Win_allocate_shared(static_cast<MPI_Aint>(allocated), 1, MPI_INFO_NULL, node_,
                                      &blocks_[rank_], &shared_));
  HAKARU_MPI(PMPI_Win_set_errhandler(shared_, MPI_ERRORS_RETURN));
  HAKARU_MPI(PMPI_Win_lock_all(MPI_MODE_NOCHECK, shared_));
}

// Mappings begin at pages, so a block is padded alike in every process.
void ExposedMemory::share_with_node(const Communicator& group, std::size_t padding) {
  int ranks = 0;
  HAKARU_MPI(PMPI_Comm_size(node_, &ranks));
  std::vector<std::uint64_t> members(2 * static_cast<std::size_t>(ranks));
  const std::uint64_t own[2] = {static_cast<std::uint64_t>(group.rank()), padding};
  HAKARU_MPI(PMPI_Win_sync(shared_));
  HAKARU_MPI(PMPI_Allgather(own, 2, MPI_UINT64_T, members.data(), 2, MPI_UINT64_T, node_));
  HAKARU_MPI(PMPI_Win_sync(shared_));
  for (int other = 0; other < ranks; ++other) {
    const auto rank = static_cast<std::size_t>(members[2 * other]);
    if (rank == static_cast<std::size_t>(rank_)) continue;
    MPI_Aint bytes = 0;
    int unit = 0;
    std::byte* base = nullptr;
    HAKARU_MPI(PMPI_Win_shared_query(shared_, other, &bytes, &unit, &base));
    blocks_[rank] = base + members[2 * other + 1];
    map_pages(blocks_[rank], bytes_of(static_cast<int>(rank)));
  }
}

bool ExposedMemory::reaches_all() const {
  return std::none_of(blocks_.begin(), blocks_.end(), [](auto* block) { return block == nullptr; });
}

void ExposedMemory::release() {
  if (shared_ != MPI_WIN_NULL) {
    PMPI_Win_unlock_all(shared_);
    PMPI_Win_free(&shared_);
  }
  if (node_ != MPI_COMM_NULL) PMPI_Comm_free(&node_);
}

}  // namespace hakaru::parallel
