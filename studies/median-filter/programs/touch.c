/* Seconds until so many MiB of fresh memory have been written, in pages of a kind: what a new
 * segment costs. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

int main(int count, char** words) {
  if (count < 4) return 2;
  const size_t large_page = (size_t)1 << 21, base_page = 4096;
  size_t bytes = (size_t)atoi(words[1]) << 20;
  int kind = atoi(words[2]), samples = atoi(words[3]);
  for (int sample = 0; sample < samples; ++sample) {
    double begin = now();
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (kind == 2 ? MAP_HUGETLB : 0);
    char* mapped = mmap(NULL, bytes + large_page, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (mapped == MAP_FAILED) {
      fprintf(stderr, "the kernel has no %zu large pages left\n", bytes / large_page + 1);
      return 4;
    }
    if (kind < 2) madvise(mapped, bytes + large_page, kind == 1 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (size_t at = 0; at < bytes; at += base_page) mapped[at] = 1;
    printf("seconds %.9e\n", now() - begin);
    munmap(mapped, bytes + large_page);
  }
}
