#include "native/parallel/strided_copy.hpp"

#include <cstring>
#include <limits>

namespace hakaru::parallel {
namespace {

// A length that the compiler knows becomes one load and one store.
template <std::size_t item_bytes>
void copy_items(std::byte* to, std::size_t to_step, const std::byte* from, std::size_t from_step,
                std::size_t items) {
  for (std::size_t i = 0; i < items; ++i)
    std::memcpy(to + i * to_step, from + i * from_step, item_bytes);
}

void copy_items(std::byte* to, std::size_t to_step, const std::byte* from, std::size_t from_step,
                std::size_t items, std::size_t item_bytes) {
  switch (item_bytes) {
    case 1:
      return copy_items<1>(to, to_step, from, from_step, items);
    case 4:
      return copy_items<4>(to, to_step, from, from_step, items);
    case 8:
      return copy_items<8>(to, to_step, from, from_step, items);
    case 16:
      return copy_items<16>(to, to_step, from, from_step, items);
    case 32:
      return copy_items<32>(to, to_step, from, from_step, items);
    case 64:
      return copy_items<64>(to, to_step, from, from_step, items);
    default:
      for (std::size_t i = 0; i < items; ++i)
        std::memcpy(to + i * to_step, from + i * from_step, item_bytes);
  }
}

}  // namespace

void copy_stride(std::byte* to, const Stride& to_stride, const std::byte* from,
                 const Stride& from_stride) {
  const Stride out = merged(to_stride), in = merged(from_stride);
  if (out.items == 1 && in.items == 1) {
    if (out.item_bytes > 0) std::memcpy(to, from, out.item_bytes);
  } else if (out.items == 1) {
    copy_items(to, in.item_bytes, from, in.step_bytes, in.items, in.item_bytes);
  } else if (in.items == 1) {
    copy_items(to, out.step_bytes, from, out.item_bytes, out.items, out.item_bytes);
  } else if (in.item_bytes == out.item_bytes) {
    copy_items(to, out.step_bytes, from, in.step_bytes, out.items, out.item_bytes);
  } else {
    for_each_piece(out, in, std::numeric_limits<std::size_t>::max(),
                   [&](std::size_t to_offset, std::size_t from_offset, std::size_t bytes) {
                     std::memcpy(to + to_offset, from + from_offset, bytes);
                   });
  }
}

}  // namespace hakaru::parallel
