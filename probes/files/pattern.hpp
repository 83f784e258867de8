// Who writes which bytes of one file, and what each byte is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hakaru::probes::files {

// `blocks` blocks of each rank in turns: block b of rank r begins at (b ranks + r) block_bytes. One
// block a rank is a contiguous file.
struct Pattern {
  int ranks = 1;
  int blocks = 1;
  std::size_t block_bytes = 0;

  std::size_t rank_bytes() const { return static_cast<std::size_t>(blocks) * block_bytes; }
  std::size_t file_bytes() const { return static_cast<std::size_t>(ranks) * rank_bytes(); }
  std::size_t offset(int rank, int block) const {
    return (static_cast<std::size_t>(block) * static_cast<std::size_t>(ranks) +
            static_cast<std::size_t>(rank)) *
           block_bytes;
  }
};

// The byte at this place of a file; another `seed` gives another file.
unsigned char byte_at(std::size_t offset, unsigned seed);

using Bytes = std::vector<unsigned char>;

// What a rank writes, its blocks one after the other.
Bytes contents_of(const Pattern& pattern, int rank, unsigned seed);
// `bytes` of a file from `offset` on.
Bytes contents_at(std::size_t offset, std::size_t bytes, unsigned seed);
// Bytes that differ; all of the longer one where one is shorter.
std::size_t differing(const Bytes& one, const Bytes& other);

// The blocks of all ranks, rank after rank, as the file has them: what a master does.
Bytes in_order_of_file(const Pattern& pattern, const Bytes& gathered);
// And back.
Bytes in_order_of_ranks(const Pattern& pattern, const Bytes& file);

}  // namespace hakaru::probes::files
