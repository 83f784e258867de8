// Work that needs a processor and nothing else: no memory, and nothing of it at once.
//
// It begins when all before it has been done, and ends when it has, as computing between calls does
// in a trace, whose clock waits for what is before it. Else a processor computes while it ends the
// call before, or begins the next: of 100 ns of work between receive and send of 8 B 70 were hidden
// so (Open MPI 4.1 in shared memory, a Xeon with AMX).
#pragma once

#include <cstdint>

namespace hakaru::base {

// Nothing after this begins before all before it has been done; stores may be on their way yet.
inline void all_done() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

// Between calls programs compute at least for tens of ns; who makes the next at once meets lines of
// the cache that the other core still writes. So much work keeps short calls apart, in s.
inline constexpr double apart_s = 1e-7;

// Marsaglia's xorshift: every step needs the one before.
class Chain {
 public:
  void run(std::int64_t steps);
  // About so long: how many steps, and what they take by the shortest of some trials, with the
  // waiting for what is before and for themselves.
  struct Spell {
    std::int64_t steps = 0;
    double seconds = 0.0;
  };
  Spell spell(double about_s);

 private:
  std::uint64_t state_ = 1;
  double many_s_ = 0.0, one_s_ = 0.0;  // runs of many steps and of one; 0: not tried yet

  double shortest(double before_s, int runs, std::int64_t steps);
};

}  // namespace hakaru::base
