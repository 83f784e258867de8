/* How cold computing leaves the caches of its core: some memory is read that was read the time
 * before, which takes the longer the less of it is left. Plain C; valid C++ too.
 *
 * One line of each of 16 pages, so that sets of the caches everywhere and entries of the TLB take
 * part. A second cache of 2 MiB replaces lines by more than their age: after going over 2 to 4 MiB
 * much is left in some launches, and 16 lines take 110 ns, in others next to nothing, and they take
 * 330. Messages know the same difference: 4 KiB take 3 and 11 us (a Xeon with AMX, 2026-11-30). */
#ifndef HAKARU_TRACE_CACHES_H
#define HAKARU_TRACE_CACHES_H

#include <stdint.h>

#define HAKARU_SENSED_PAGES 16u
#define HAKARU_SENSED_BYTES (HAKARU_SENSED_PAGES * 4096u)

/* `memory`: HAKARU_SENSED_BYTES, written to before. */
static inline void hakaru_read_lines(const unsigned char* memory) {
  unsigned sum = 0;
  for (unsigned i = 0; i < HAKARU_SENSED_PAGES; i++) {
    const unsigned page = i * 5 % HAKARU_SENSED_PAGES, line = i * 29 % 64;
    sum += *(const volatile unsigned char*)&memory[page * 4096 + line * 64];
  }
  __asm__ volatile("" : : "r"(sum));
}

/* The least of several readings right after each other: nothing is gone. */
static inline uint64_t hakaru_warm_reading(uint64_t (*ticks)(void), const unsigned char* memory) {
  uint64_t least = UINT64_MAX;
  for (int reading = 0; reading < 50; reading++) {
    const uint64_t begin = ticks();
    hakaru_read_lines(memory);
    const uint64_t took = ticks() - begin;
    if (took < least) least = took;
  }
  return least;
}

#endif
