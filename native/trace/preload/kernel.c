/* What the kernel tells of the process: the memory that it uses, and for how long others had the
 * processor. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tracer.h"

static uint64_t private_at_start;

/* Resident pages that are neither a file's nor shared memory; 0 when the kernel does not say. */
static uint64_t private_bytes(void) {
  char text[256];
  unsigned long long resident = 0, shared = 0;
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  if (sscanf(text, "%*s %llu %llu", &resident, &shared) != 2 || shared > resident) return 0;
  return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

int hk_first_look_at_memory(void) {
  private_at_start = private_bytes();
  if (private_at_start) hk.header->memory_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
  return private_at_start > 0;
}

void hk_look_at_memory(void) {
  if (!hk.header || !private_at_start) return;
  uint64_t now = private_bytes();
  if (now > private_at_start + hk.header->memory_bytes)
    hk.header->memory_bytes = now - private_at_start;
}

static int delay_file = -1;
static uint64_t delayed_ns; /* by the last look */
static double ticks_per_ns;

/* What the kernel says of the calling thread: ns on a processor, ns of waiting for one, turns. */
static uint64_t all_delays_ns(void) {
  char text[128];
  unsigned long long waited = 0;
  ssize_t length = pread(delay_file, text, sizeof text - 1, 0);
  hk.looked = hk_ticks();
  if (length <= 0) return delayed_ns;
  text[length] = 0;
  if (sscanf(text, "%*s %llu %*s", &waited) != 1 || waited < delayed_ns) return delayed_ns;
  return waited;
}

void hk_begin_delays(void) {
  const hakaru_raw_calibration *start = &hk.header->start, *last = &hk.header->last;
  if (hk.many_threads || last->monotonic_ns <= start->monotonic_ns) return;
  delay_file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (delay_file < 0) return;
  ticks_per_ns =
      (double)(last->ticks - start->ticks) / (double)(last->monotonic_ns - start->monotonic_ns);
  delayed_ns = all_delays_ns();
  hk.long_call = (uint64_t)(HAKARU_RAW_LOOKED_AT_NS * ticks_per_ns);
  hk.look_after = (uint64_t)(HAKARU_RAW_LOOK_NS * ticks_per_ns);
}

/* Asks after more than usual, or when it has not for long. */
int hk_pass_delays(uint64_t now) {
  static uint64_t usual;
  const uint64_t outside = now - hk.left;
  const int more = outside > usual + hk.long_call || now - hk.looked >= hk.look_after;
  usual += ((int64_t)outside - (int64_t)usual) / 8;
  if (more) delayed_ns = all_delays_ns();
  return more;
}

uint64_t hk_delayed(hk_call* call) {
  const uint64_t begin = hk_ticks(), before = delayed_ns;
  delayed_ns = all_delays_ns();
  if (hk.limit - hk.cursor >= (ptrdiff_t)HK_FLUSH_WORDS) call->growth += hk_write_flush(begin);
  const uint64_t most = (uint64_t)((double)(call->leave - call->enter) / ticks_per_ns);
  return delayed_ns - before < most ? delayed_ns - before : most;
}
