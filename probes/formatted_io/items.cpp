#include "probes/formatted_io/items.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "native/base/mixed_bits.hpp"
#include "native/base/require.hpp"
#include "probes/formatted_io/text.hpp"

namespace hakaru::probes::formatted_io {
namespace {

constexpr std::uint64_t least_digits = 100'000'000'000'000;  // 10^14: the first of 15 is not zero

std::uint64_t bits_at(std::uint64_t seed, std::int64_t i, std::uint64_t purpose) {
  return base::mixed_bits(base::mixed_bits(seed + purpose * base::golden_step) +
                          static_cast<std::uint64_t>(i) * base::golden_step);
}

double value_of(const Decimal& decimal) {
  char field[text_width];
  put(field, decimal, Notation::c);
  const char* first = field;
  while (*first == ' ') ++first;
  double value = 0.0;
  const auto done = std::from_chars(first, field + text_width, value);
  HAKARU_EXPECTS(done.ec == std::errc{} && done.ptr == field + text_width);
  return value;
}

// A significand of 53 or 24 bits, from 2^-26 to 2^27.
double full_value(std::uint64_t seed, std::int64_t i, bool single) {
  const std::uint64_t bits = bits_at(seed, i, 3);
  const int exponent = static_cast<int>(bits % 53) - 26;
  const double fraction = single ? 1.0 + static_cast<double>(bits >> 41) * 0x1p-23
                                 : 1.0 + static_cast<double>(bits >> 12) * 0x1p-52;
  return (bits & 0x800 ? -1.0 : 1.0) * std::ldexp(fraction, exponent);
}

}  // namespace

const char* name_of(Type type) {
  constexpr const char* names[] = {"integer*4", "real*4", "real*8", "complex*8", "complex*16"};
  return names[static_cast<int>(type)];
}

std::int64_t text_bytes(Type type, std::int64_t items) {
  const std::int64_t numbers = items * parts_of(type), columns = columns_of(type);
  return numbers * width_of(type) + (numbers + columns - 1) / columns;
}

Decimal decimal_double(std::uint64_t seed, std::int64_t i) {
  const std::uint64_t bits = bits_at(seed, i, 1);
  return {(bits & 1) != 0, least_digits + (bits >> 5) % (9 * least_digits),
          static_cast<int>(bits >> 1 & 15) - 7};
}

Decimal decimal_single(std::uint64_t seed, std::int64_t i) {
  const std::uint64_t bits = bits_at(seed, i, 2);
  const int halvings = static_cast<int>(bits >> 1 & 0xff) % 11;
  std::uint64_t decimal = (1u << 23) + (bits >> 9) % (1u << 23);
  for (int j = 0; j < halvings; ++j) decimal *= 5;  // k / 2^j = k 5^j / 10^j, below 10^15
  int exponent = digits - halvings;
  for (; decimal < least_digits; decimal *= 10) --exponent;
  return {(bits & 1) != 0, decimal, exponent};
}

std::int32_t integer_at(std::uint64_t seed, std::int64_t i) {
  return static_cast<std::int32_t>(bits_at(seed, i, 4) % 199'999'999) - 99'999'999;
}

Items::Items(Type type, std::int64_t count) : type_(type), count_(count) {
  const auto size = static_cast<std::size_t>(numbers());
  if (is_integer(type))
    integers_.resize(size);
  else if (is_single(type))
    singles_.resize(size);
  else
    doubles_.resize(size);
}

Items::Items(Type type, std::int64_t count, Values values, std::uint64_t seed)
    : Items(type, count) {
  seed_ = seed;
  const bool full = values == Values::full;
  for (std::int64_t i = 0; i < numbers(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (is_integer(type))
      integers_[place] = integer_at(seed, i);
    else if (is_single(type))
      singles_[place] =
          static_cast<float>(full ? full_value(seed, i, true) : value_of(decimal_single(seed, i)));
    else
      doubles_[place] = full ? full_value(seed, i, false) : value_of(decimal_double(seed, i));
  }
}

void* Items::data() {
  void* found = nullptr;
  visit([&](auto* numbers) { found = numbers; });
  return found;
}

const void* Items::data() const { return const_cast<Items*>(this)->data(); }

double Items::number(std::int64_t i) const {
  double found = 0.0;
  visit([&](const auto* numbers) { found = static_cast<double>(numbers[i]); });
  return found;
}

std::int64_t differing(const Items& one, const Items& other) {
  HAKARU_EXPECTS(one.type() == other.type() && one.count() == other.count());
  const auto width =
      static_cast<std::size_t>(one.bytes() / std::max<std::int64_t>(one.numbers(), 1));
  const auto* a = static_cast<const char*>(one.data());
  const auto* b = static_cast<const char*>(other.data());
  std::int64_t count = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(one.numbers()); ++i)
    count += std::memcmp(a + i * width, b + i * width, width) != 0;
  return count;
}

double largest_rounding(const Items& values, const Items& found) {
  HAKARU_EXPECTS(values.type() == found.type() && values.count() == found.count());
  double largest = 0.0;
  for (std::int64_t i = 0; i < values.numbers(); ++i) {
    const double value = values.number(i), off = found.number(i) - value;
    const double power = std::pow(10.0, std::floor(std::log10(std::fabs(value))) + 1.0);
    const double rounding = std::fabs(off) / power;
    largest = std::isfinite(rounding) ? std::max(largest, rounding)
                                      : std::numeric_limits<double>::infinity();
  }
  return largest;
}

}  // namespace hakaru::probes::formatted_io
