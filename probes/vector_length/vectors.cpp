#include "probes/vector_length/vectors.hpp"

#include <numbers>
#include <numeric>
#include <utility>

#include "native/base/mixed_bits.hpp"
#include "native/base/require.hpp"

namespace hakaru::probes::vector_length {
namespace {

std::uint64_t bits_at(std::int64_t i, std::uint64_t purpose) {
  return base::mixed_bits(static_cast<std::uint64_t>(i) * base::golden_step + purpose);
}

double short_value(std::int64_t i, std::uint64_t purpose) {
  return 1.0 + static_cast<double>(bits_at(i, purpose) >> 44) * 0x1p-20;
}

}  // namespace

double first_y(std::int64_t i) { return short_value(i, 2); }

Vectors::Vectors(std::int64_t most)
    : x(static_cast<std::size_t>(most)),
      y(x.size()),
      z(x.size()),
      full(x.size()),
      equal(x.size()),
      places(x.size()) {}

void Vectors::fill(std::int64_t n) {
  HAKARU_EXPECTS(n > 0 && static_cast<std::size_t>(n) <= x.size());
  length = n;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto place = static_cast<std::size_t>(i);
    x[place] = short_value(i, 1);
    y[place] = first_y(i);
    z[place] = 0.0;
    full[place] = 1.0 + static_cast<double>(bits_at(i, 3) >> 12) * 0x1p-52;
    equal[place] = std::numbers::e;
  }
  const auto end = places.begin() + n;
  std::iota(places.begin(), end, 0);
  for (std::int64_t i = n - 1; i > 0; --i)  // Fisher and Yates
    std::swap(places[static_cast<std::size_t>(i)],
              places[bits_at(i, 4) % static_cast<std::uint64_t>(i + 1)]);
}

}  // namespace hakaru::probes::vector_length
