// Work that needs a processor and nothing else: no memory, and nothing of it at once.
//
// While a processor waits for memory it goes on with what does not depend on it. A reading of the
// clock does not let it (lfence); what programs compute does. So work between calls of a library
// hides the end of a call, which readings of the clock in its place would add: an exchange of empty
// messages takes 98 ns with work between and 110 with readings (Open MPI 4.1, AMD EPYC, Zen 5).
#pragma once

#include <cstdint>

namespace hakaru::base {

// Between calls programs compute at least for tens of ns; who makes the next at once meets lines of
// the cache that the other core still writes. So much work keeps short calls apart, in s.
inline constexpr double apart_s = 1e-7;

// Marsaglia's xorshift: every step needs the one before.
class Chain {
 public:
  void run(std::int64_t steps);
  // About so long: how many steps, and what they take by the shortest of some trials, now and
  // before.
  struct Spell {
    std::int64_t steps = 0;
    double seconds = 0.0;
  };
  Spell spell(double about_s);

 private:
  std::uint64_t state_ = 1;
  double step_s_ = 0.0;  // 0: not tried yet
};

}  // namespace hakaru::base
