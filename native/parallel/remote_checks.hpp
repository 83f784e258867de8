// Protection: what a transfer must satisfy before it may change any memory. All throw UserError
// (usage).
#pragma once

#include <cstddef>

#include "native/parallel/remote_memory.hpp"

namespace hakaru::parallel {

void check_rank(int rank, int ranks);

// 1 ... flags.
void check_flag(int flag, int flags);
// The same, or 0 for none.
void check_flags(const Flags& raised, int flags);

// Items do not overlap; the number of bytes from the first to the last can be counted.
void check_stride(const Stride& stride, const char* end);
void check_same_length(const Stride& remote, const Stride& local);

// The stride, begun at `remote`, lies within the `exposed` bytes of `rank`.
void check_address(int rank, std::size_t remote, const Stride& stride, std::size_t exposed);

}  // namespace hakaru::parallel
