#include "probes/files/pattern.hpp"

#include <algorithm>

namespace hakaru::probes::files {

unsigned char byte_at(std::size_t offset, unsigned seed) {
  // A word of 8 bytes is mixed from its number, so that a block at another place is seen.
  std::uint64_t word = (offset / 8 + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xd1b54a32d192ed03ULL;
  word ^= word >> 29;
  return static_cast<unsigned char>(word >> (8 * (offset % 8)));
}

Bytes contents_at(std::size_t offset, std::size_t bytes, unsigned seed) {
  Bytes made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = byte_at(offset + i, seed);
  return made;
}

Bytes contents_of(const Pattern& pattern, int rank, unsigned seed) {
  Bytes made;
  made.reserve(pattern.rank_bytes());
  for (int block = 0; block < pattern.blocks; ++block) {
    const Bytes one = contents_at(pattern.offset(rank, block), pattern.block_bytes, seed);
    made.insert(made.end(), one.begin(), one.end());
  }
  return made;
}

std::size_t differing(const Bytes& one, const Bytes& other) {
  const std::size_t common = std::min(one.size(), other.size());
  std::size_t found = std::max(one.size(), other.size()) - common;
  for (std::size_t i = 0; i < common; ++i) found += one[i] != other[i];
  return found;
}

namespace {

// each(place among the blocks of all ranks, place in the file) for every block.
template <typename Each>
void for_blocks(const Pattern& pattern, const Each& each) {
  for (int rank = 0; rank < pattern.ranks; ++rank)
    for (int block = 0; block < pattern.blocks; ++block)
      each(static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rank) * pattern.rank_bytes() +
                                       static_cast<std::size_t>(block) * pattern.block_bytes),
           static_cast<std::ptrdiff_t>(pattern.offset(rank, block)));
}

}  // namespace

Bytes in_order_of_file(const Pattern& pattern, const Bytes& gathered) {
  Bytes ordered(gathered.size());
  for_blocks(pattern, [&](std::ptrdiff_t of_rank, std::ptrdiff_t in_file) {
    std::copy_n(gathered.begin() + of_rank, pattern.block_bytes, ordered.begin() + in_file);
  });
  return ordered;
}

Bytes in_order_of_ranks(const Pattern& pattern, const Bytes& file) {
  Bytes ordered(file.size());
  for_blocks(pattern, [&](std::ptrdiff_t of_rank, std::ptrdiff_t in_file) {
    std::copy_n(file.begin() + in_file, pattern.block_bytes, ordered.begin() + of_rank);
  });
  return ordered;
}

}  // namespace hakaru::probes::files
