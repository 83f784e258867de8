// Timed samples of the kernels on a pinned team.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "native/base/cores.hpp"
#include "probes/arithmetic/kernels.hpp"

namespace hakaru::probes::arithmetic {

enum class Precision { double_precision, single_precision };
const char* name_of(Precision precision);
constexpr int bits_of(Precision precision) {
  return precision == Precision::double_precision ? 64 : 32;
}

// Register widths that this processor has: one number, 128, 256, 512 bits.
std::vector<int> widths(Precision precision);

// What is measured: one kernel at one width; dependent means a single chain, whose time per step is
// the latency.
struct Series {
  Kernel kernel;
  Precision precision;
  int bits;
  bool dependent = false;
  auto key() const { return std::tie(kernel, precision, bits, dependent); }
  bool operator<(const Series& other) const { return key() < other.key(); }
};

struct Sample {
  double seconds;     // from the first thread's start to the last one's end
  double operations;  // floating-point operations of all threads; for a dependent series: steps of
                      // the chain
  double error;       // largest relative error of all results
  double tolerance;
};

class Measurement {
 public:
  // A sample lasts at least `sample_s` and seldom more than twice that.
  explicit Measurement(double sample_s) : sample_s_(sample_s) {}

  // One sample with every thread of the team doing the same work. The number of iterations is found
  // at first use by doubling.
  Sample sample(const base::PinnedTeam& team, const Series& series);
  // Seconds and cycles of a chain of integer operations on this thread; throws
  // UserError(environment) when its result is wrong.
  Sample clock_sample();

 private:
  std::int64_t iterations(const base::PinnedTeam& team, const Series& series);
  double sample_s_;
  std::map<Series, std::int64_t> iterations_;
  std::int64_t clock_iterations_ = 0;
};

// One run of a series with that many iterations (chains) or passes (maps), damaged on purpose when
// asked to.
Sample run_series(const base::PinnedTeam& team, const Series& series, std::int64_t iterations,
                  bool lasting, bool damage);

// More iterations would round the sum of the chain `add` in single precision.
inline constexpr std::int64_t most_iterations = std::int64_t{1} << 23;

}  // namespace hakaru::probes::arithmetic
