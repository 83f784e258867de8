#include "native/replay/engine/compute_price.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "native/base/require.hpp"

namespace hakaru::replay {

using base::require;

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
  double left = draw(), probability = std::exp(-mean), number = 0.0;
  while (left > probability && number < 1000.0) {
    left -= probability;
    probability *= mean / ++number;
  }
  return number;
}

double work_seconds(const schedule::Work& work, const std::optional<Roofline>& roofline) {
  if (!roofline) {
    require(work.seconds >= 0, "the schedule has work without a duration",
            fmt::format("{} flops and {} bytes cannot be priced without the machine's rates",
                        work.flops, work.bytes),
            "give \"roofline\": {\"flop_rate\": ..., \"memory_bandwidth\": ...} in the options");
    return work.seconds;
  }
  const double bytes = roofline->write_allocate ? work.bytes_write_allocate : work.bytes;
  return std::max(work.flops / roofline->flops_per_s, bytes / roofline->bytes_per_s);
}

}  // namespace

ComputePrice::ComputePrice(const schedule::Schedule& schedule, const Options& options)
    : factor_(options.compute_factor),
      fork_s_(options.free ? 0.0 : options.fork_s),
      noise_(options.noise) {
  phase_factor_.assign(schedule.phases.size(), factor_);
  for (const auto& [name, factor] : options.phase_factor) {
    const auto phase = std::find_if(schedule.phases.begin(), schedule.phases.end(),
                                    [&name](const schedule::Phase& p) { return p.name == name; });
    require(phase != schedule.phases.end(), fmt::format("there is no phase '{}'", name),
            "phase_factor names it");
    phase_factor_[static_cast<std::size_t>(phase - schedule.phases.begin())] *= factor;
  }
  for (const schedule::Work& work : schedule.works)
    work_s_.push_back(options.free ? 0.0 : work_seconds(work, options.roofline));
  if (noise_.kind != Noise::Kind::none) drawn_.resize(static_cast<std::size_t>(schedule.ranks));
}

double ComputePrice::with_noise(double price, std::int32_t rank, double begin_s) {
  const auto r = static_cast<std::uint64_t>(rank);
  const auto draw = [&] { return uniform(noise_.seed, r + 1, drawn_[r]++); };
  switch (noise_.kind) {
    case Noise::Kind::none:
      return price;
    case Noise::Kind::exponential:
      return price - noise_.mean_s * std::log(draw());
    case Noise::Kind::empirical:
      return price + noise_.samples_s[static_cast<std::size_t>(
                         draw() * static_cast<double>(noise_.samples_s.size()))];
    case Noise::Kind::gaussian: {  // Box-Muller
      const double radius = std::sqrt(-2.0 * std::log(draw()));
      const double normal = radius * std::cos(2.0 * std::numbers::pi * draw());
      return price * std::max(0.0, 1.0 + noise_.relative_deviation * normal);
    }
    case Noise::Kind::detours: {
      double lost_s = 0.0;
      for (const Noise::Detours& one : noise_.detours)
        if (price > 0 && one.rate_per_s > 0)
          lost_s += one.detour_s * poisson(one.rate_per_s * price, draw);
      return price + lost_s;
    }
    case Noise::Kind::periodic: {
      // Between detours the rank has period - detour for itself. In units of that time, detours are
      // at whole numbers plus a phase.
      const double own_s = noise_.period_s - noise_.detour_s;
      const double phase = uniform(noise_.seed, r + 1, UINT32_MAX);
      const double begin = begin_s / noise_.period_s + phase;
      const double into = std::min(1.0, (begin - std::floor(begin)) * noise_.period_s / own_s);
      return price + noise_.detour_s * std::floor(into + price / own_s);
    }
  }
  return price;
}

}  // namespace hakaru::replay
