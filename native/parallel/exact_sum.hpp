// The exact sum of doubles, rounded once. Neither the order of the summands nor how they are spread
// over threads and ranks changes a bit of it.
//
// The sum is one integer of 2176 bits in units of 2^-1074, the smallest double, kept in chunks of
// 32 bits at fixed weights: the superaccumulator of Kulisch (Computer Arithmetic and Validity,
// 2008) in the layout of Neal (Fast exact summation using small and large superaccumulators, 2015).
// A finite double needs 2098 bits, so 2^77 of them fit: the integer cannot overflow.
//
//   all summands finite            nearest double, ties to even; +-infinity beyond the largest one,
//                                  judged at the end: 1e308 + 1e308 - 1e308 is 1e308
//   infinities of one sign         that infinity
//   of both signs, or a NaN        a positive quiet NaN
//   sum zero, or no summand        +0, also when every summand is -0
//   subnormal numbers              as all others
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hakaru::parallel {

// An ExactSum as it travels between ranks: two's complement, lowest limb first. Equal sums of equal
// summands have equal images.
struct ExactImage {
  static constexpr int limbs = 34;
  std::array<std::uint64_t, limbs> limb{};
  std::uint64_t special = 0;  // 1: a NaN, 2: +infinity, 4: -infinity was added

  void merge(const ExactImage& other);
  double value() const;
  bool operator==(const ExactImage& other) const {
    return limb == other.limb && special == other.special;
  }
};

class ExactSum {
 public:
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto exponent = static_cast<int>(bits >> fraction_bits & exponent_mask);
    const std::uint64_t fraction = bits & fraction_mask;
    if (exponent == exponent_mask) return add_special(bits);
    const std::uint64_t hidden = exponent > 0 ? fraction_mask + 1 : 0;
    add_scaled(fraction | hidden, exponent > 0 ? exponent - 1 : 0, bits >> 63);
  }
  // Faster from some hundred values on.
  void add(std::span<const double> values);
  void merge(const ExactSum& other);

  ExactImage image() const;
  double value() const { return image().value(); }

 private:
  static constexpr int fraction_bits = 52, exponent_mask = 0x7ff, chunk_bits = 32;
  static constexpr int chunks = 2 * ExactImage::limbs;
  static constexpr std::uint64_t fraction_mask = (std::uint64_t{1} << fraction_bits) - 1;
  // Each addition changes a chunk by less than 2^32.
  static constexpr std::uint32_t most_pending = 1u << 30;

  // magnitude 2^(position - 1074), negative or not.
  void add_scaled(std::uint64_t magnitude, int position, std::uint64_t negative) {
    const auto wide = static_cast<unsigned __int128>(magnitude) << position % chunk_bits;
    std::int64_t* chunk = chunks_.data() + position / chunk_bits;
    const auto sign = -static_cast<std::int64_t>(negative);
    for (int i = 0; i < 3; ++i) {
      const auto part =
          static_cast<std::int64_t>(static_cast<std::uint32_t>(wide >> chunk_bits * i));
      chunk[i] += (part ^ sign) - sign;
    }
    if (++pending_ == most_pending) carry();
  }
  void add_special(std::uint64_t bits);
  void add_table(std::span<const double> values);
  void carry();

  std::array<std::int64_t, chunks> chunks_{};
  std::uint32_t pending_ = 0;  // additions since the last carry
  std::uint64_t special_ = 0;
};

#pragma omp declare reduction(exact:ExactSum \
                              : omp_out.merge(omp_in)) initializer(omp_priv = ExactSum())

}  // namespace hakaru::parallel
