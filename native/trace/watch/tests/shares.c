/* Three routines that burn 60, 30 and 10 % of the CPU time by counted iterations, each called from
 * `work`: arguments: rounds, and "threads" to let three threads do one each. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN(iterations)                                        \
  uint64_t x = 88172645463325252u;                               \
  for (long i = 0; i < (iterations); i++) {                      \
    x ^= x << 13; /* xorshift64: each step waits for the last */ \
    x ^= x >> 7;                                                 \
    x ^= x << 17;                                                \
  }                                                              \
  sink ^= x;

static volatile uint64_t sink;
static long rounds;
__attribute__((noinline)) void burn_six(void) { CHAIN(6000) }
__attribute__((noinline)) void burn_three(void) { CHAIN(3000) }
__attribute__((noinline)) void burn_one(void) { CHAIN(1000) }

__attribute__((noinline)) void work(void) {
  for (long i = 0; i < rounds; i++) {
    burn_six();
    burn_three();
    burn_one();
  }
}

static void* only(void* which) {
  void (*routine)(void) = which;
  for (long i = 0; i < rounds; i++) routine();
  return NULL;
}

int main(int count, char** words) {
  rounds = atol(words[1]);
  if (count > 2 && strcmp(words[2], "threads") == 0) {
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, only, burn_six);
    pthread_create(&threads[1], NULL, only, burn_three);
    pthread_create(&threads[2], NULL, only, burn_one);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  } else {
    work();
  }
  printf("%d\n", (int)(sink & 1));
  return 0;
}
