/* How cold computing leaves the caches: asked before calls that come long after the last. */
#define _GNU_SOURCE
#include "../caches.h"

#include <string.h>

#include "tracer.h"

static _Alignas(4096) unsigned char memory[HAKARU_SENSED_BYTES];

static uint64_t ticks(void) { return hk_ticks_done(); }

void hk_sense(hk_call* call) {
  const uint64_t begin = call->enter;
  hakaru_read_lines(memory);
  call->enter = hk_ticks_done();
  call->sensed = call->enter - begin;
}

void hk_begin_sensing(void) {
  const hakaru_raw_calibration *start = &hk.header->start, *last = &hk.header->last;
  if (hk.many_threads || last->monotonic_ns <= start->monotonic_ns) return;
  memset(memory, 1, sizeof memory);
  hk.header->warm_ticks = hakaru_warm_reading(ticks, memory);
  hk.sense_after = (uint64_t)(HAKARU_RAW_SENSED_NS * (double)(last->ticks - start->ticks) /
                              (double)(last->monotonic_ns - start->monotonic_ns));
}
