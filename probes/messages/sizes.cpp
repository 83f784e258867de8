#include "probes/messages/sizes.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

namespace hakaru::probes::messages {

std::vector<std::int64_t> powers_of_two(std::int64_t maximum_bytes) {
  std::vector<std::int64_t> sizes{0};
  for (std::int64_t bytes = 1; bytes < maximum_bytes; bytes *= 2) sizes.push_back(bytes);
  if (maximum_bytes > 0) sizes.push_back(maximum_bytes);
  return sizes;
}

std::optional<std::vector<std::int64_t>> parse_sizes(const std::string& list,
                                                     std::int64_t maximum_bytes) {
  std::vector<std::int64_t> sizes;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    std::int64_t bytes = -1;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, bytes);
    if (error != std::errc{} || stop != end || bytes < 0 || bytes > maximum_bytes)
      return std::nullopt;
    sizes.push_back(bytes);
  }
  if (sizes.empty()) return std::nullopt;
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<std::int64_t> pieces_of(std::int64_t bytes) {
  constexpr std::int64_t packed_bytes[] = {64, 512, 1 << 10, 32 << 10, 1 << 20};
  std::vector<std::int64_t> pieces;
  if (std::find(std::begin(packed_bytes), std::end(packed_bytes), bytes) != std::end(packed_bytes))
    for (std::int64_t piece = 8; piece <= 4096 && 2 * piece <= bytes; piece *= 8)
      pieces.push_back(piece);
  return pieces;
}

bool shows_requests(std::int64_t bytes) {
  static const std::set<std::int64_t> shown = {8, 64, 256, 512, 4 << 10, 64 << 10};
  return shown.count(bytes) != 0;
}

bool shows_pages(std::int64_t bytes) {
  return bytes == 64 << 10 || bytes == 256 << 10 || bytes == 1 << 20;
}

bool shows_uses(std::int64_t bytes) { return shows_pages(bytes) || bytes == 4 << 20; }

std::vector<Work> works_before(std::int64_t bytes, std::int64_t own_bytes) {
  static const std::set<std::int64_t> shortly = {8, 512, 4 << 10, 32 << 10},
                                      long_before = {8,         4 << 10, 32 << 10,
                                                     256 << 10, 1 << 20, 4 << 20};
  std::vector<Work> works;
  if (shortly.count(bytes) != 0) {
    for (const double seconds : {2e-6, 8e-6, 32e-6, 128e-6})
      works.push_back({seconds, own_bytes / 2, true});
    for (const std::int64_t memory_bytes : {own_bytes + own_bytes / 4, 2 * own_bytes})
      for (const double seconds : {32e-6, 64e-6, 128e-6})
        works.push_back({seconds, memory_bytes, false});
  }
  if (long_before.count(bytes) != 0)
    for (const double seconds : {1e-3, 4e-3}) works.push_back({seconds, beyond_all, false});
  return works;
}

std::vector<double> works_between(std::int64_t bytes) {
  static const std::set<std::int64_t> shown = {8, 1 << 10, 8 << 10};
  if (shown.count(bytes) == 0) return {};
  return {2e-6, 8e-6, 32e-6, 128e-6};
}

std::vector<std::int64_t> geometric_sizes(std::int64_t maximum_bytes, int per_octave) {
  std::vector<std::int64_t> sizes;
  for (int k = 0;; ++k) {
    const std::int64_t bytes = std::llround(std::exp2(static_cast<double>(k) / per_octave));
    if (bytes >= maximum_bytes) break;
    if (sizes.empty() || bytes > sizes.back()) sizes.push_back(bytes);
  }
  sizes.push_back(maximum_bytes);
  return sizes;
}

namespace {
constexpr std::int64_t short_bytes = 1024;
}

std::vector<Thinning> thinnings(int per_octave, int train) {
  const int few = std::min(train, 4), half = std::max(per_octave / 2, 1);
  return {{per_octave, per_octave, train},
          {per_octave, per_octave, few},
          {1, per_octave, few},
          {1, half, few},
          {1, 1, few}};
}

std::vector<std::int64_t> thinned_sizes(std::int64_t maximum_bytes, const Thinning& thinning) {
  std::vector<std::int64_t> sizes =
      geometric_sizes(std::min(maximum_bytes, short_bytes), thinning.below_per_octave);
  if (maximum_bytes > short_bytes)
    for (std::int64_t bytes : geometric_sizes(maximum_bytes, thinning.above_per_octave))
      if (bytes > short_bytes) sizes.push_back(bytes);
  return sizes;
}

double round_trip_s(const std::vector<RoundTrip>& known, std::int64_t bytes) {
  std::size_t i = 1;
  while (i + 1 < known.size() && known[i].bytes < bytes) ++i;
  if (known.size() < 2) return known.empty() ? 0.0 : known[0].seconds;
  const RoundTrip &a = known[i - 1], &b = known[i];
  const double slope = (b.seconds - a.seconds) / static_cast<double>(b.bytes - a.bytes);
  return a.seconds + std::max(slope, 0.0) * static_cast<double>(bytes - a.bytes);
}

double trains_s(const std::vector<RoundTrip>& known, std::int64_t bytes, int train, int spaced) {
  const double one_s = round_trip_s(known, bytes);
  const double more_s = 0.5 * std::max(one_s - round_trip_s(known, 1), 0.0);
  return (18.0 + spaced) * one_s + (train - 1) * more_s;
}

Thinning affordable(const std::vector<RoundTrip>& known, std::int64_t maximum_bytes, int per_octave,
                    int train, double round_s) {
  const std::int64_t wanted = std::min(maximum_bytes, far_enough);
  const std::vector<Thinning> all = thinnings(per_octave, train);
  for (const Thinning& one : all) {
    double sum_s = 0.0;
    for (std::int64_t bytes : thinned_sizes(wanted, one))
      sum_s += trains_s(known, bytes, train, one.spaced);
    if (sum_s <= round_s) return one;
  }
  return all.back();
}

}  // namespace hakaru::probes::messages
