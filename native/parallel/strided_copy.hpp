// Copies between memories with one-dimensional strides.
#pragma once

#include <algorithm>
#include <cstddef>

#include "native/parallel/remote_memory.hpp"

namespace hakaru::parallel {

inline std::size_t length_of(const Stride& stride) { return stride.item_bytes * stride.items; }

// Items that follow each other without a gap are one item.
inline Stride merged(const Stride& stride) {
  const bool gapless = stride.items <= 1 || stride.step_bytes == stride.item_bytes;
  return gapless ? Stride{length_of(stride), 1, length_of(stride)} : stride;
}

// Both strides hold the same number of bytes; the memories do not overlap.
void copy_stride(std::byte* to, const Stride& to_stride, const std::byte* from,
                 const Stride& from_stride);

// Calls piece(to_offset, from_offset, bytes) for the longest pieces, of at most `most` bytes, that
// are contiguous at both ends.
template <typename Piece>
void for_each_piece(const Stride& to, const Stride& from, std::size_t most, Piece piece) {
  std::size_t to_item = 0, to_used = 0, from_item = 0, from_used = 0;
  while (to_item < to.items && from_item < from.items && to.item_bytes > 0 && from.item_bytes > 0) {
    const std::size_t bytes =
        std::min({to.item_bytes - to_used, from.item_bytes - from_used, most});
    piece(to_item * to.step_bytes + to_used, from_item * from.step_bytes + from_used, bytes);
    to_used += bytes;
    from_used += bytes;
    if (to_used == to.item_bytes) ++to_item, to_used = 0;
    if (from_used == from.item_bytes) ++from_item, from_used = 0;
  }
}

}  // namespace hakaru::parallel
