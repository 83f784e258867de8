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
  // How many last at least so long, by what one took in the first trials; 0 for no time.
  std::int64_t steps(double about_s);
  // What a run takes, in s, with the waiting for what is before and for itself: of so many in a
  // row, the quicker half.
  double run_s(std::int64_t steps, int runs);

 private:
  std::uint64_t state_ = 1;
  double step_s_ = 0.0;  // 0: not tried yet
};

}  // namespace hakaru::base
