#include "probes/vector_length/measurement.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "native/base/clock.hpp"
#include "native/base/require.hpp"

namespace hakaru::probes::vector_length {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double wrong = 2.0;  // in units of a tolerance of nothing
constexpr int apart = 16;      // doubles between the sums of two threads: no line is shared

double factor(std::int64_t pass) { return pass % 2 ? -1.0 : 1.0; }

// The part of thread t of so many, in whole lines where there are enough.
std::int64_t start_of(std::int64_t n, int thread, int threads) {
  const std::int64_t even = n * thread / threads;
  return thread == threads || n < 8 * threads ? even : even / 8 * 8;
}

double one(const Series& s, Vectors& v, std::int64_t passes) {
  double total = 0.0;
  for (std::int64_t pass = 0; pass < passes; ++pass)
    total = apply(s.kernel, s.language, v, 0, v.length, factor(pass));
  return total;
}

double inner(int threads, const Series& s, Vectors& v, std::int64_t passes) {
  std::vector<double> sums(static_cast<std::size_t>(threads * apart));
  double total = 0.0;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      sums[static_cast<std::size_t>(thread * apart)] =
          apply(s.kernel, s.language, v, start_of(v.length, thread, threads),
                start_of(v.length, thread + 1, threads), factor(pass));
    }
    total = 0.0;
    for (int thread = 0; thread < threads; ++thread)
      total += sums[static_cast<std::size_t>(thread * apart)];
  }
  return total;
}

double outer(int threads, const Series& s, Sets& sets, std::int64_t passes) {
  std::vector<double> sums(static_cast<std::size_t>(threads * apart));
  for (std::int64_t pass = 0; pass < passes; ++pass) {
#pragma omp parallel num_threads(threads)
    {
      const auto thread = static_cast<std::size_t>(omp_get_thread_num());
      sums[thread * apart] =
          apply(s.kernel, s.language, sets[thread], 0, sets[thread].length, factor(pass));
    }
  }
  return sums[0];
}

struct Expected {
  long double value;
  double tolerance;  // relative
};

Expected expected(Kernel kernel, const Vectors& v, std::size_t i) {
  const long double x = v.x[i];
  switch (kernel) {
    case Kernel::polynomial: {
      long double value = coefficients[9];
      for (int k = 8; k >= 0; --k) value = coefficients[static_cast<std::size_t>(k)] + x * value;
      // Positive terms: two roundings a step, none of them amplified.
      return {value, 18.0 * epsilon};
    }
    case Kernel::divide:
      return {x / v.full[i], epsilon};
    case Kernel::divide_equal:
      return {x / v.equal[i], epsilon};
    case Kernel::exponential:
      return {std::exp(x), 4.0 * epsilon};  // as glibc documents for its vectors (libmvec)
    default:
      return {x, 0.0};
  }
}

double in_tolerances(long double found, const Expected& expected) {
  const long double off = std::fabs(found - expected.value) / std::fabs(expected.value);
  if (!std::isfinite(off)) return std::numeric_limits<double>::infinity();
  if (expected.tolerance == 0.0) return off == 0.0L ? 0.0 : wrong;
  return static_cast<double>(off / expected.tolerance);
}

// So many elements further is the next that is looked at.
std::size_t step_of(const Vectors& v) {
  return static_cast<std::size_t>(std::max<std::int64_t>(1, v.length / most_checked));
}

// y, to which x was added so many times: exactly known.
double error_of_y(const Vectors& v, double times) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(v.length); i += step_of(v))
    if (v.y[i] != first_y(static_cast<std::int64_t>(i)) + times * v.x[i]) return wrong;
  return 0.0;
}

double error_of_dot(const Vectors& v, double total) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < static_cast<std::size_t>(v.length); ++i)
    sum += static_cast<long double>(v.x[i]) * v.full[i];
  // Positive terms: at most one rounding for each of them (Higham, ch. 3).
  return in_tolerances(total, {sum, epsilon * static_cast<double>(v.length + 1)});
}

double error_of(Kernel kernel, const Vectors& v, double total) {
  if (kernel == Kernel::daxpy) return error_of_y(v, 0.0);
  if (kernel == Kernel::dot) return error_of_dot(v, total);
  double worst = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(v.length); i += step_of(v)) {
    const auto place = static_cast<std::size_t>(v.places[i]);
    if (kernel == Kernel::gather)
      worst = std::max(worst, in_tolerances(v.z[i], {v.x[place], 0.0}));
    else if (kernel == Kernel::scatter)
      worst = std::max(worst, in_tolerances(v.z[place], {v.x[i], 0.0}));
    else
      worst = std::max(worst, in_tolerances(v.z[i], expected(kernel, v, i)));
  }
  return worst;
}

}  // namespace

const char* name_of(Way way) {
  constexpr const char* names[] = {"one", "inner", "outer"};
  return names[static_cast<int>(way)];
}

Sets sets_for(const base::PinnedTeam& team, std::int64_t longest) {
  Sets sets(static_cast<std::size_t>(team.size()), Vectors(0));
#pragma omp parallel num_threads(team.size())
  sets[static_cast<std::size_t>(omp_get_thread_num())] = Vectors(longest);
  return sets;
}

void fill(const base::PinnedTeam& team, Sets& sets, std::int64_t n) {
#pragma omp parallel num_threads(team.size())
  {
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    sets[thread].fill(n);
  }
}

Sample run(const base::PinnedTeam& team, const Series& series, Sets& sets, std::int64_t passes) {
  HAKARU_EXPECTS(passes > 0 && sets.size() >= static_cast<std::size_t>(team.size()));
  const double start = base::now_s();
  double total = 0.0;
  if (series.way == Way::one)
    total = one(series, sets.front(), passes);
  else if (series.way == Way::inner)
    total = inner(team.size(), series, sets.front(), passes);
  else
    total = outer(team.size(), series, sets, passes);
  return {base::now_s() - start, passes, total};
}

Sample sample(const base::PinnedTeam& team, const Series& series, Sets& sets, double least_s,
              std::int64_t& passes) {
  Sample found = run(team, series, sets, passes);
  while (found.seconds < least_s) {
    const double wanted =
        1.3 * static_cast<double>(passes) * least_s / std::max(found.seconds, 1e-7);
    const auto pairs = static_cast<std::int64_t>(0.5 * wanted);
    passes = 2 * std::clamp<std::int64_t>(pairs, passes / 2 + 1, 50 * passes);
    found = run(team, series, sets, passes);
  }
  return found;
}

std::int64_t vectors_of(const base::PinnedTeam& team, Way way) {
  return way == Way::outer ? team.size() : 1;
}

double error(const base::PinnedTeam& team, const Series& series, const Sets& sets, double total) {
  double worst = 0.0;
  for (std::int64_t i = 0; i < vectors_of(team, series.way); ++i)
    worst = std::max(worst, error_of(series.kernel, sets[static_cast<std::size_t>(i)], total));
  return worst;
}

double error_of_daxpy(const base::PinnedTeam& team, Language language, Way way, Sets& sets) {
  run(team, {Kernel::daxpy, language, way}, sets, 1);
  double worst = 0.0;
  for (std::int64_t i = 0; i < vectors_of(team, way); ++i)
    worst = std::max(worst, error_of_y(sets[static_cast<std::size_t>(i)], 1.0));
  return worst;
}

}  // namespace hakaru::probes::vector_length
