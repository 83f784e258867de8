// Pairs of Gaussian deviates by the acceptance-rejection method, and what the benchmark asks of
// them:
//   x = 2 r_{2j-1} - 1, y = 2 r_{2j} - 1, t = x^2 + y^2; if t <= 1:
//   X = x sqrt(-2 log(t) / t), Y = y sqrt(-2 log(t) / t); bin floor(max(|X|, |Y|)).
#pragma once

#include <array>
#include <cstdint>

#include "native/parallel/exact_sum.hpp"

namespace hakaru::apps::ep {

// Pairs are generated in batches of this many, so that a batch is a unit of work.
inline constexpr int batch_bits = 16;
inline constexpr std::int64_t batch_pairs = std::int64_t{1} << batch_bits;

// x and y are odd multiples of 2^-45, so that t >= 2^-89 and no deviate is larger than 11.2.
inline constexpr int bins = 12;

struct Tally {
  // Sums of X and Y, of the double that a batch gives: the same bits however batches are shared
  // out.
  parallel::ExactSum x, y;
  std::array<std::int64_t, bins> counts{};  // pairs with bin <= max(|X|, |Y|) < bin + 1

  void add(const Tally& other);
  std::int64_t accepted() const;
};

// Batch number `batch`, counted from 0, added to the tally.
void tally_batch(std::int64_t batch, Tally& tally);

// The same by a plain scalar loop, for comparison.
void tally_batch_plainly(std::int64_t batch, Tally& tally);

}  // namespace hakaru::apps::ep
