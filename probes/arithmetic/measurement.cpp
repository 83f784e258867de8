#include "probes/arithmetic/measurement.hpp"

#include <algorithm>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"
#include "probes/arithmetic/reference.hpp"

namespace hakaru::probes::arithmetic {
namespace {

struct ThreadResult {
  double start_s, end_s, error;
};

// On the calling thread; `wait` lets all threads start together.
template <typename Real, typename Wait>
ThreadResult run_chain_series(const Series& series, std::int64_t iterations, bool lasting,
                              bool damage, Wait wait) {
  const int chains = series.dependent ? 1 : independent_chains();
  const auto operands =
      lasting ? lasting_operands<Real>(series.kernel) : telling_operands<Real>(series.kernel);
  const auto first = first_values(
      series.kernel, static_cast<std::size_t>(chains * lanes<Real>(series.bits)), operands);
  auto numbers = first;
  run_chains(series.kernel, series.bits, chains, numbers.data(),
             std::min<std::int64_t>(iterations, 1000), operands.a, operands.b);
  numbers = first;
  wait();
  const double start = base::now_s();
  run_chains(series.kernel, series.bits, chains, numbers.data(), iterations, operands.a,
             operands.b);
  const double end = base::now_s();
  if (damage) numbers.back() *= Real(1.01L);
  return {start, end, chain_error(series.kernel, first, numbers, iterations, operands)};
}

template <typename Real, typename Wait>
ThreadResult run_map_series(const Series& series, std::int64_t passes, bool damage, Wait wait) {
  const auto x = map_arguments<Real>(series.kernel);
  std::vector<Real> y(x.size());
  run_map(series.kernel, series.bits, x.data(), y.data(), 1);
  std::fill(y.begin(), y.end(), Real(0));
  wait();
  const double start = base::now_s();
  run_map(series.kernel, series.bits, x.data(), y.data(), passes);
  const double end = base::now_s();
  if (damage) y.back() *= Real(1.01L);
  return {start, end, map_error(x, y)};
}

template <typename Real>
Sample run_at(const base::PinnedTeam& team, const Series& series, std::int64_t iterations,
              bool lasting, bool damage) {
  std::vector<ThreadResult> results(team.size());
#pragma omp parallel num_threads(team.size())
  {
    const int thread = omp_get_thread_num();
    auto wait = [] {
#pragma omp barrier
    };
    const bool spoil = damage && thread == 0;
    results[thread] = is_map(series.kernel)
                          ? run_map_series<Real>(series, iterations, spoil, wait)
                          : run_chain_series<Real>(series, iterations, lasting, spoil, wait);
  }
  double start = results[0].start_s, end = results[0].end_s, error = 0.0;
  for (const auto& result : results) {
    start = std::min(start, result.start_s);
    end = std::max(end, result.end_s);
    error = std::max(error, result.error);
  }
  const double steps = static_cast<double>(iterations) * team.size();
  const double applications = is_map(series.kernel)
                                  ? steps * map_count
                                  : steps * independent_chains() * lanes<Real>(series.bits);
  return {end - start, series.dependent ? steps : applications * operations_of(series.kernel),
          error,
          is_map(series.kernel) ? map_tolerance<Real>(series.kernel)
                                : chain_tolerance<Real>(series.kernel, iterations, lasting)};
}

}  // namespace

const char* name_of(Precision precision) {
  return precision == Precision::double_precision ? "double" : "single";
}

std::vector<int> widths(Precision precision) {
  std::vector<int> bits{bits_of(precision)};
  for (int width = 128; width <= widest_bits(); width *= 2) bits.push_back(width);
  return bits;
}

Sample run_series(const base::PinnedTeam& team, const Series& series, std::int64_t iterations,
                  bool lasting, bool damage) {
  return series.precision == Precision::double_precision
             ? run_at<double>(team, series, iterations, lasting, damage)
             : run_at<float>(team, series, iterations, lasting, damage);
}

std::int64_t Measurement::iterations(const base::PinnedTeam& team, const Series& series) {
  auto [entry, is_new] = iterations_.emplace(series, 1);
  if (!is_new) return entry->second;
  while (entry->second < most_iterations &&
         run_series(team, series, entry->second, true, false).seconds < sample_s_)
    entry->second *= 2;
  return entry->second;
}

Sample Measurement::sample(const base::PinnedTeam& team, const Series& series) {
  return run_series(team, series, iterations(team, series), true, false);
}

Sample Measurement::clock_sample() {
  // Odd constants with mixed bits (from the golden ratio), so that no step is an identity.
  constexpr std::uint64_t first = 1, a = 0x9e3779b97f4a7c15, b = 0x2545f4914f6cdd1d;
  auto timed = [&](std::int64_t iterations) {
    const double start = base::now_s();
    std::uint64_t x = run_clock_chain(first, a, b, iterations);
    const double seconds = base::now_s() - start;
    for (std::int64_t i = 0; i < iterations; ++i)
      x = (x - b) ^ a;  // the inverse step leads back to the start
    base::require_environment(x == first, "integer arithmetic gave a wrong result",
                              "the inverse chain does not lead back", "do not trust this machine");
    return seconds;
  };
  if (clock_iterations_ == 0) {
    clock_iterations_ = 1024;
    while (timed(clock_iterations_) < sample_s_) clock_iterations_ *= 2;
  }
  const double seconds = timed(clock_iterations_);
  return {seconds, cycles_of_clock_step * static_cast<double>(clock_iterations_), 0.0, 0.0};
}

}  // namespace hakaru::probes::arithmetic
