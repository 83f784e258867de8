#include "native/parallel/exact_sum.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace hakaru::parallel {

namespace {

constexpr std::uint64_t has_nan = 1, has_plus = 2, has_minus = 4;
constexpr int mantissa_bits = 53;
constexpr std::uint64_t infinity_bits = 0x7ffull << 52;

using Limbs = std::array<std::uint64_t, ExactImage::limbs>;

// sum += other, modulo 2^2176.
void add_limbs(Limbs& sum, const Limbs& other) {
  unsigned __int128 carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    carry += static_cast<unsigned __int128>(sum[i]) + other[i];
    sum[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

Limbs negated(Limbs limbs) {
  for (auto& limb : limbs) limb = ~limb;
  Limbs one{};
  one[0] = 1;
  add_limbs(limbs, one);
  return limbs;
}

int highest_bit(const Limbs& limbs) {
  int i = ExactImage::limbs - 1;
  while (i > 0 && limbs[i] == 0) --i;
  return 64 * i + 63 - std::countl_zero(limbs[i] | 1);
}

bool any_below(const Limbs& limbs, int bit) {
  for (int i = 0; i < bit / 64; ++i)
    if (limbs[i] != 0) return true;
  return bit % 64 != 0 && (limbs[bit / 64] << (64 - bit % 64)) != 0;
}

std::uint64_t bits_from(const Limbs& limbs, int bit) {
  const int i = bit / 64, shift = bit % 64;
  std::uint64_t value = limbs[i] >> shift;
  if (shift != 0 && i + 1 < ExactImage::limbs) value |= limbs[i + 1] << (64 - shift);
  return value;
}

// Of a positive integer in units of 2^-1074: the bits of the nearest double, ties to even. An
// integer below 2^53 is the bits of its double; a carry out of the fraction raises the exponent.
std::uint64_t rounded_bits(const Limbs& magnitude) {
  const int below = highest_bit(magnitude) - (mantissa_bits - 1);
  if (below <= 0) return magnitude[0];
  const std::uint64_t mantissa = bits_from(magnitude, below) & ((1ull << mantissa_bits) - 1);
  const bool half = bits_from(magnitude, below - 1) & 1;
  const bool up = half && ((mantissa & 1) != 0 || any_below(magnitude, below - 1));
  const std::uint64_t bits = (static_cast<std::uint64_t>(below) << 52) + mantissa + (up ? 1 : 0);
  return std::min(bits, infinity_bits);
}

}  // namespace

void ExactImage::merge(const ExactImage& other) {
  add_limbs(limb, other.limb);
  special |= other.special;
}

double ExactImage::value() const {
  using Limits = std::numeric_limits<double>;
  if ((special & has_nan) != 0 || special == (has_plus | has_minus)) return Limits::quiet_NaN();
  if (special != 0) return special == has_plus ? Limits::infinity() : -Limits::infinity();
  const bool negative = limb.back() >> 63;
  const std::uint64_t bits = rounded_bits(negative ? negated(limb) : limb);
  return std::bit_cast<double>(bits | static_cast<std::uint64_t>(negative) << 63);
}

void ExactSum::add_special(std::uint64_t bits) {
  const bool nan = (bits & fraction_mask) != 0;
  special_ |= nan ? has_nan : bits >> 63 ? has_minus : has_plus;
}

// One sum a sign and exponent, of the bits of whole numbers modulo 2^64 (Neal's large
// superaccumulator): 2047 mantissas of 53 bits add up to less than 2^64.
void ExactSum::add_table(std::span<const double> values) {
  constexpr int keys = 2 * (exponent_mask + 1);
  constexpr std::uint16_t most = 2047;
  struct Table {
    std::array<std::uint64_t, keys> sum{};
    std::array<std::uint16_t, keys> count{};
  };
  const auto table = std::make_unique<Table>();
  const auto empty = [&](std::uint64_t key) {
    const std::uint64_t count = table->count[key];
    const std::uint64_t fractions = table->sum[key] - count * (key << fraction_bits);
    const auto exponent = static_cast<int>(key & exponent_mask);
    if (exponent == exponent_mask)
      add_special(key << fraction_bits | (fractions != 0 ? 1 : 0));
    else
      add_scaled(fractions + (exponent > 0 ? count << fraction_bits : 0), std::max(exponent - 1, 0),
                 key >> 11);
    table->sum[key] = table->count[key] = 0;
  };
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t key = bits >> fraction_bits;
    table->sum[key] += bits;
    if (++table->count[key] == most) empty(key);
  }
  for (int key = 0; key < keys; ++key)
    if (table->count[key] != 0) empty(key);
}

void ExactSum::add(std::span<const double> values) {
  constexpr std::size_t table_pays = 4096;  // where clearing and emptying it is little of the time
  if (values.size() >= table_pays) return add_table(values);
  for (const double value : values) add(value);
}

// Leaves 0 <= chunk < 2^32 but in the last, which holds the sign.
void ExactSum::carry() {
  for (int i = 0; i + 1 < chunks; ++i) {
    chunks_[i + 1] += chunks_[i] >> chunk_bits;
    chunks_[i] &= 0xffffffff;
  }
  pending_ = 1;
}

void ExactSum::merge(const ExactSum& other) {
  ExactSum settled = other;
  settled.carry();
  carry();
  for (int i = 0; i < chunks; ++i) chunks_[i] += settled.chunks_[i];
  special_ |= settled.special_;
}

ExactImage ExactSum::image() const {
  ExactSum settled = *this;
  settled.carry();
  ExactImage image;
  for (int i = 0; i < ExactImage::limbs; ++i)
    image.limb[i] = static_cast<std::uint64_t>(settled.chunks_[2 * i]) |
                    static_cast<std::uint64_t>(settled.chunks_[2 * i + 1]) << chunk_bits;
  image.special = special_;
  return image;
}

}  // namespace hakaru::parallel
