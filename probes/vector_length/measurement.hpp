// Timed passes over vectors: by one core, by threads that share each vector, by threads with a
// vector each.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "native/base/cores.hpp"
#include "probes/vector_length/kernels.hpp"

namespace hakaru::probes::vector_length {

enum class Way {
  one,    // a core, no threads
  inner,  // a parallel region a vector, in which each thread has a part of it
  outer   // a parallel region for as many vectors as there are threads, each with a whole one
};
const char* name_of(Way way);

struct Series {
  Kernel kernel;
  Language language;
  Way way;
  bool operator<(const Series& other) const {
    return std::tie(kernel, language, way) < std::tie(other.kernel, other.language, other.way);
  }
};

// A set of vectors for each thread, of which the ways `one` and `inner` use the first.
using Sets = std::vector<Vectors>;

struct Sample {
  double seconds;       // of all passes
  std::int64_t passes;  // over a vector, or over one a thread
  double total;         // what dot added up in the last pass
};

// A set for each thread, allocated by it.
Sets sets_for(const base::PinnedTeam& team, std::int64_t longest);
// Fills all sets, each by the thread that will work on it. Passes always come in pairs, the second
// with daxpy's factor -1, so that y is again what it was.
void fill(const base::PinnedTeam& team, Sets& sets, std::int64_t n);
Sample run(const base::PinnedTeam& team, const Series& series, Sets& sets, std::int64_t passes);
// At least `least_s` long: `passes` (even) are as many as this took before, and grow where they are
// too few.
Sample sample(const base::PinnedTeam& team, const Series& series, Sets& sets, double least_s,
              std::int64_t& passes);

// Vectors of a pass.
std::int64_t vectors_of(const base::PinnedTeam& team, Way way);

// Elements of a vector that are looked at, at most, evenly apart.
inline constexpr std::int64_t most_checked = 65536;
// Largest error of the results against long double, in units of its tolerance; what no pass has
// written (z was cleared by fill) is wrong. `total`: of dot.
double error(const base::PinnedTeam& team, const Series& series, const Sets& sets, double total);
// The same after a single pass of daxpy with factor 1, which must have added x to y.
double error_of_daxpy(const base::PinnedTeam& team, Language language, Way way, Sets& sets);

}  // namespace hakaru::probes::vector_length
