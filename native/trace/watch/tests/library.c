/* Loaded by behaviours.c while it runs. */
#include <stdint.h>

static volatile uint64_t sink;

void compute_in_library(long iterations) {
  uint64_t x = 88172645463325252u;
  for (long i = 0; i < iterations; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink ^= x;
}
