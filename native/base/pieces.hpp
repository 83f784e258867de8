// Files are read and written in pieces, since counts of MPI-IO are of 32 bits.
#pragma once

#include <algorithm>
#include <cstddef>

namespace hakaru::base {

inline constexpr std::size_t largest_piece_bytes = std::size_t{1} << 30;

// body(begin, bytes) for one piece after the other; also of nothing there is one.
template <typename Body>
void in_pieces(std::size_t bytes, const Body& body) {
  std::size_t done = 0;
  do {
    const std::size_t piece = std::min(bytes - done, largest_piece_bytes);
    body(done, piece);
    done += piece;
  } while (done < bytes);
}

}  // namespace hakaru::base
