/* Seconds, and seconds of the processor, of `rounds` rounds of: compute (16,000 steps of a random
 * number generator), walk (the same below 20 calls), pwrite (100 bytes), fwrite (8 bytes). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static char data[100];

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static __attribute__((noinline)) uint64_t below(int depth) {
  if (depth > 0) return below(depth - 1) + sink;
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < 16000; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const char* what = words[1];
  const long rounds = atol(words[2]);
  int file = open("pwrite.dat", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  FILE* stream = fopen("fwrite.dat", "w");
  const double begin = now(CLOCK_MONOTONIC), busy = now(CLOCK_PROCESS_CPUTIME_ID);
  for (long i = 0; i < rounds; i++) {
    if (strcmp(what, "compute") == 0)
      sink ^= below(0);
    else if (strcmp(what, "walk") == 0)
      sink ^= below(20);
    else if (strcmp(what, "pwrite") == 0)
      sink += (uint64_t)pwrite(file, data, sizeof data, (i % 1000) * (long)sizeof data);
    else
      sink += fwrite(data, 8, 1, stream);
  }
  const double end = now(CLOCK_MONOTONIC), idle = now(CLOCK_PROCESS_CPUTIME_ID);
  fclose(stream);
  close(file);
  printf("%.9f %.9f\n", end - begin, idle - busy);
  return 0;
}
