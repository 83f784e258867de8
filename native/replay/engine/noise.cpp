#include "native/replay/engine/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hakaru::replay {

namespace {

// splitmix64 (Steele, Lea, Flood, 2014) of a counter: uniform in (0, 1).
double uniform(std::uint64_t seed, std::uint64_t rank, std::uint64_t counter) {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15ULL * (rank << 32U | counter);
  for (int round = 0; round < 2; ++round) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    x ^= x >> 31U;
  }
  return (static_cast<double>(x >> 11U) + 0.5) * 0x1p-53;
}

// The number whose cumulative Poisson probability first reaches `u`; beyond a mean of 100, where
// the sum would be long, the nearest whole number of a normal variable of that mean and variance.
template <typename Draw>
double poisson(double mean, Draw&& draw) {
  if (mean > 100.0) {
    const double radius = std::sqrt(-2.0 * std::log(draw()));
    const double normal = radius * std::cos(2.0 * std::numbers::pi * draw());
    return std::max(0.0, std::round(mean + std::sqrt(mean) * normal));
  }
  double left = draw(), number = 0.0;
  if (left <= 1.0 - mean) return 0.0;  // exp(-mean) is no less
  double probability = std::exp(-mean);
  while (left > probability && number < 1000.0) {
    left -= probability;
    probability *= mean / ++number;
  }
  return number;
}

}  // namespace

double Interruptions::draw(std::int32_t rank) {
  const auto r = static_cast<std::uint64_t>(rank);
  return uniform(noise_.seed, r + 1, drawn_[r]++);
}

double Interruptions::into_period_s(std::int32_t rank, double time_s) const {
  const auto whose = noise_.together ? 0 : static_cast<std::uint64_t>(rank) + 1;
  const double at = time_s / noise_.period_s + uniform(noise_.seed, whose, UINT32_MAX);
  return (at - std::floor(at)) * noise_.period_s;
}

double Interruptions::lengthened(double seconds, std::int32_t rank, double begin_s) {
  const auto next = [&] { return draw(rank); };
  switch (noise_.kind) {
    case Noise::Kind::none:
      return seconds;
    case Noise::Kind::exponential:
      return seconds - noise_.mean_s * std::log(next());
    case Noise::Kind::empirical:
      return seconds + noise_.samples_s[static_cast<std::size_t>(
                           next() * static_cast<double>(noise_.samples_s.size()))];
    case Noise::Kind::gaussian: {  // Box-Muller
      const double radius = std::sqrt(-2.0 * std::log(next()));
      const double normal = radius * std::cos(2.0 * std::numbers::pi * next());
      return seconds * std::max(0.0, 1.0 + noise_.relative_deviation * normal);
    }
    case Noise::Kind::detours: {
      double lost_s = 0.0;
      for (const Noise::Detours& one : noise_.detours)
        if (seconds > 0 && one.rate_per_s > 0)
          lost_s += one.detour_s * poisson(one.rate_per_s * seconds, next);
      return seconds + lost_s;
    }
    case Noise::Kind::periodic:
      return put_off(seconds, rank, begin_s);
  }
  return seconds;
}

// The last detour_s of each period are a detour. What begins in it waits for its end; one that
// begins meanwhile puts off what is left.
double Interruptions::put_off(double seconds, std::int32_t rank, double begin_s) const {
  if (seconds <= 0) return seconds;
  const double own_s = noise_.period_s - noise_.detour_s;
  const double into_s = into_period_s(rank, begin_s);
  const bool inside = into_s >= own_s;
  const double wait_s = inside ? noise_.period_s - into_s : 0.0;
  const double done_s = inside ? 0.0 : into_s;
  return wait_s + seconds + noise_.detour_s * std::floor((done_s + seconds) / own_s);
}

// A wait begins between detours. One of length d that began x before its end, x < min(d, waited),
// holds the rank for d - x more; it has begun with the probability 1 - exp(-rate min(d, waited)).
double Interruptions::held(std::int32_t rank, double waited_s, double until_s) {
  double held_s = 0.0;
  if (noise_.kind == Noise::Kind::detours) {
    for (const Noise::Detours& one : noise_.detours) {
      const double reach_s = std::min(one.detour_s, waited_s);
      const double drawn = draw(rank);
      if (drawn >= one.rate_per_s * reach_s) continue;  // the probability is no more
      const double probability = -std::expm1(-one.rate_per_s * reach_s);
      if (drawn < probability)
        held_s = std::max(held_s, one.detour_s - reach_s * drawn / probability);
    }
  } else if (noise_.kind == Noise::Kind::periodic) {
    const double into_s = into_period_s(rank, until_s);
    if (into_s > noise_.period_s - noise_.detour_s) held_s = noise_.period_s - into_s;
  }
  return held_s;
}

}  // namespace hakaru::replay
