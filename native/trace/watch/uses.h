/* The use of files: what is known of an open file, and what its calls add to the sums. */
#ifndef HAKARU_TRACE_USES_H
#define HAKARU_TRACE_USES_H

#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>

#include "watch.h"

#define HKW_LAYERS 4
#define HKW_USES_MOST 4096 /* descriptors that are watched */

enum { HKW_WRITES = 1, HKW_APPENDS = 2, HKW_TRUNCATES = 4, HKW_READS = 8 };

typedef struct {
  uint32_t file;  /* place in the list of files + 1; 0: not watched */
  uint32_t flags; /* HKW_* */
  uint32_t generation, phase;
  uint64_t open_ns;
  FILE* stream;
  uint64_t place; /* of the stream, as the program sees it */
  int placed, locked;
  hakaru_watch_opening* opening;
  hakaru_watch_run *run, *before;
  hakaru_watch_row* rows[HKW_LAYERS][HAKARU_WATCH_OPERATIONS];
} hkw_use;

/* The use of a descriptor, or NULL. */
hkw_use* hkw_use_of(int descriptor);
/* After it was opened: finds out which file it is. */
void hkw_opened(int descriptor, FILE* stream, uint32_t flags);
void hkw_begin_use(hkw_use* use, const char* path, const struct stat* about, uint32_t flags);
void hkw_duplicated(int from, int to);
/* Before it is closed. */
void hkw_closing(int descriptor);
void hkw_end_use(hkw_use* use, uint64_t bytes);
/* The size of its file, by its name. */
uint64_t hkw_bytes_now(const hkw_use* use);
/* Bytes without time: found later, no call. */
void hkw_count(hkw_use* use, uint32_t layer, uint32_t operation, int failed, uint64_t bytes,
               uint64_t time);
/* Calls that belong to no open file. */
void hkw_count_name(uint32_t operation, int failed, uint64_t time);
void hkw_wrote(hkw_use* use, uint32_t layer, uint64_t begin, uint64_t length);
/* Places of its bytes are not known from here on; why: HAKARU_PLACES_*. */
void hkw_doubt(hkw_use* use, uint32_t why);
void hkw_sized(hkw_use* use, uint64_t bytes, uint64_t time_ns);
/* A name was removed from, or given to, the file with these numbers. */
void hkw_renamed(const struct stat* about, const char* path);
/* stdio.c: what was written by functions that are no wrappers is found by where the stream stands.
 */
void hkw_settle(hkw_use* use);
int hkw_is_regular(const hkw_use* use);
/* 1 while an MPI call of this thread is under way; `opens`: one that may open files. */
int hkw_below_mpi(int* opens);

static inline uint32_t hkw_layer(void) {
  return hkw_below_mpi(NULL) ? HAKARU_LAYER_BELOW : HAKARU_LAYER_POSIX;
}

static inline uint64_t hkw_since(uint64_t began) {
  const uint64_t now = hkw_now(CLOCK_MONOTONIC);
  return now > began ? now - began : 1;
}

/* The function behind a wrapper. */
static inline void* hkw_real(void** known, const char* name) {
  void* found = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (HKW_LIKELY(found != NULL)) return found;
  found = dlsym(RTLD_NEXT, name);
  __atomic_store_n(known, found, __ATOMIC_RELAXED);
  return found;
}
#define HKW_REAL(name) ((__typeof__(real_##name))hkw_real((void**)&real_##name, #name))

#endif
