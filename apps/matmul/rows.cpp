#include "apps/matmul/rows.hpp"

#include "native/base/mixed_bits.hpp"

namespace hakaru::apps::matmul {
namespace {

std::int64_t element(std::uint64_t matrix, std::int64_t row, std::int64_t column) {
  const std::uint64_t place =
      static_cast<std::uint64_t>(row) << 32 ^ static_cast<std::uint64_t>(column) ^ matrix << 62;
  return static_cast<std::int64_t>(base::mixed_bits(place + base::golden_step) % 17) - 8;
}

}  // namespace

Rows::Rows(std::int64_t n_, int rank_, int ranks_)
    : n(n_), block(n_ / ranks_), left_over(n_ - n_ / ranks_ * ranks_), rank(rank_), ranks(ranks_) {}

std::int64_t element_of_a(std::int64_t row, std::int64_t column) { return element(1, row, column); }
std::int64_t element_of_b(std::int64_t row, std::int64_t column) { return element(2, row, column); }

}  // namespace hakaru::apps::matmul
