/* Calls a kernel: the bits of what it made, seconds of a call, and events.
 * program ROWS COLUMNS LEADING STRIDE LISTED THREADS SAMPLES LEAST_S [GROUP:TYPE:CONFIG ...]
 * Element i of an array lies at STRIDE (i mod ROWS + LEADING (i div ROWS)); arrays of STRIDE 3 are
 * merged. LISTED: the list is a random permutation. A sample takes LEAST_S at least. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "counters.h"

enum { MOST_THREADS = 64, HUGE_PAGE = 1 << 21, APART = 168 }; /* 21 lines of 8 numbers */

void kernel(double* a, double* b, double* c, const int* list, double* busy);

static long rows, columns, leading, stride, threads;
static double *a, *b, *c, busy[MOST_THREADS];
static int* list;

static void* block(size_t bytes) {
  const size_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  void* place = aligned_alloc(HUGE_PAGE, whole);
  if (!place) exit(3);
  madvise(place, whole, MADV_HUGEPAGE);
  memset(place, 0, bytes);
  return place;
}

static long place(long i) { return stride * (i % rows + leading * (i / rows)); }

/* b in (0, 2] in steps of 1/16 and c in (0, 2] in steps of 1/8, so that sums and products of all
 * kernels are exact and do not depend on their order. */
static void prepare(int listed) {
  const long count = rows * columns;
  const size_t bytes = sizeof(double) * (size_t)(stride * leading * columns + 3 * APART);
  a = block(bytes);
  b = stride == 3 ? a + 1 : (double*)block(bytes) + APART;
  c = stride == 3 ? a + 2 : (double*)block(bytes) + 2 * APART;
  list = block(sizeof(int) * (size_t)count);
  for (long i = 0; i < count; i++) {
    b[place(i)] = (double)(i * 7 % 32 + 1) / 16.0;
    c[place(i)] = (double)(i * 5 % 16 + 1) / 8.0;
    list[i] = (int)i;
  }
  uint64_t state = 88172645463325252u;
  for (long i = count - 1; listed && i > 0; i--) {
    state ^= state << 13, state ^= state >> 7,
        state ^= state << 17; /* xorshift64, Marsaglia 2003 */
    const long other = (long)(state % (uint64_t)(i + 1));
    const int kept = list[i];
    list[i] = list[other], list[other] = kept;
  }
}

static void print_result(void) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a, over numbers in place of bytes */
  double total = 0.0;
  for (long i = 0; i < rows * columns; i++) {
    const double own[2] = {a[place(i)], c[place(i)]};
    uint64_t bits[2];
    memcpy(bits, own, sizeof own);
    hash = ((hash ^ bits[0]) * 1099511628211u ^ bits[1]) * 1099511628211u;
    total += (double)(1 + i % 7) * own[0] + own[1];
  }
  printf("bits %016llx\ntotal %.17g\n", (unsigned long long)hash, total);
}

static double now(void) {
  struct timespec told;
  clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &told);
  return (double)told.tv_sec + 1e-9 * (double)told.tv_nsec;
}

/* Of one call: (the time of the last thread, what all waited for it on average). */
static void add_waiting(double* span, double* waited) {
  double last = 0.0, sum = 0.0;
  for (int i = 0; i < threads; i++) {
    sum += busy[i];
    if (busy[i] > last) last = busy[i];
    busy[i] = 0.0;
  }
  *span += last;
  *waited += last - sum / (double)threads;
}

static void sample(double least_s) {
  double span = 0.0, waited = 0.0, spent = 0.0;
  long calls = 0;
  for (long batch = 1; spent < least_s; batch *= 2) {
    const double begin = now();
    for (long i = 0; i < batch; i++) {
      kernel(a, b, c, list, busy);
      if (threads > 1) add_waiting(&span, &waited);
    }
    spent += now() - begin;
    calls += batch;
  }
  printf("seconds %.9e\n", spent / (double)calls);
  if (threads > 1) printf("waited %.9e\n", waited / span);
}

int main(int count, char** words) {
  if (count < 9) return 2;
  rows = atol(words[1]), columns = atol(words[2]), leading = atol(words[3]),
  stride = atol(words[4]);
  threads = atol(words[6]);
  const int samples = atoi(words[7]);
  if (rows < 1 || columns < 1 || leading < rows || threads > MOST_THREADS) return 2;
  prepare(atoi(words[5]));
  kernel(a, b, c, list, busy);
  print_result();
  memset(busy, 0, sizeof busy);
  const Counters counters = counters_open(count - 9, words + 9);
  counters_switch(&counters, 1);
  for (int i = 0; i < samples; i++) sample(atof(words[8]));
  counters_switch(&counters, 0);
  counters_print(&counters);
  return 0;
}
