// Which rows of A, B and C a rank holds, and what the matrices' elements are. No MPI.
#pragma once

#include <cstdint>

namespace hakaru::apps::matmul {

// Every rank holds the same number of rows, floor(n / ranks). The rows that are left over at the
// end are dealt out one by one to the first ranks in A and C; in B every rank holds them all, so
// that all messages have one length.
struct Rows {
  std::int64_t n, block;  // rows of a rank's block
  std::int64_t left_over;
  int rank, ranks;

  Rows(std::int64_t n, int rank, int ranks);

  // Rows of A and C of this rank: its block, and one of those left over.
  std::int64_t own() const { return block + (rank < left_over ? 1 : 0); }
  // Row of the whole matrix that is row i of this rank.
  std::int64_t global(std::int64_t i) const {
    return i < block ? rank * block + i : block * ranks + rank;
  }
  std::int64_t block_words() const { return block * n; }
};

// Small integers, so that every product and sum is exact in double precision: |a|, |b| <= 8.
std::int64_t element_of_a(std::int64_t row, std::int64_t column);
std::int64_t element_of_b(std::int64_t row, std::int64_t column);

// Sums of n products stay below 2^53.
inline constexpr std::int64_t largest_order = 1'000'000;

}  // namespace hakaru::apps::matmul
