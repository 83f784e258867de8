/* What the parts of the watcher share. Its own files are touched by system calls only: functions of
 * the C library would come back as wrappers. */
#ifndef HAKARU_TRACE_WATCH_H
#define HAKARU_TRACE_WATCH_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "../watched.h"

#define HKW_EXPORT __attribute__((visibility("default")))
#define HKW_TLS __thread __attribute__((tls_model("initial-exec")))
#define HKW_LIKELY(x) __builtin_expect(!!(x), 1)
#define HKW_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HKW_ROUND_UP(bytes, to) (((bytes) + (to)-1) / (to) * (to))

typedef struct {
  int sampling, files; /* wanted and possible */
  int paused;          /* MPI_Pcontrol(0): no samples */
  int signal;
  uint64_t period_ns;
  pid_t process; /* a fork's child is another one */
  int32_t rank, world_size;
  uint64_t world_id;
  uint32_t phase;  /* number of the innermost, 0: none */
  uint32_t worlds; /* counts changes of rank and world_size */
  char folder[2048], program[696], host[128], boot_id[64];
} hkw_state;
extern hkw_state hkw;

/* process.c */
#define HKW_PHASES_MOST 1024u
const char* hkw_phase_name(uint32_t number);
/* begin 1, end 0; `id` tells names apart. */
void hkw_tell_phase(uint32_t id, const char* name, int begin);
void hkw_tell_world(int rank, int size, uint64_t world_id);
void hkw_tell_pause(int paused);
void hkw_end_process(void);
/* A new file of this process in the folder, on a high descriptor; or -1 with errno. */
int hkw_make_file(const char* suffix, int flags);
void hkw_fill_header(hakaru_watch_header* header, const char* magic);
void hkw_warn(const char* what, int error);
/* Room that the file size limit leaves for `bytes` behind `end`. */
int hkw_within_limit(uint64_t end, uint64_t bytes);

#ifdef HAKARU_TRACE_WITH_MPI
/* ../preload/environment.c: a phase of the trace; 0 where nothing is recorded. */
int hkw_tell_region_to_tracer(const char* name, int begin);
#endif

/* threads.c */
void hkw_start_threads(void);
void hkw_thread_begins(uint32_t number);
void hkw_threads_after_fork(void);

/* samples.c */
typedef struct {
  uint32_t number;
  int timer, ready, told;
  uintptr_t stack_low, stack_top; /* 0: not known */
} hkw_thread;
extern HKW_TLS hkw_thread hkw_self;
void hkw_on_sample(int signal, siginfo_t* info, void* context);
void hkw_put(void* record, uint64_t bytes);
void hkw_start_samples(void);
void hkw_step_aside(void);
void hkw_end_samples(void);
void hkw_samples_after_fork(void);
int hkw_is_own_descriptor(int descriptor);
/* modules.c */
void hkw_tell_module_of(uintptr_t address);
void hkw_modules_after_fork(void);

/* table.c: the mapped file. Records are added under the lock, which hkw_lock refuses to a signal
 * handler inside of it. */
extern int hkw_table_descriptor;
extern hakaru_watch_header* hkw_table;
int hkw_lock(void);
void hkw_unlock(void);
void* hkw_add(uint64_t bytes); /* NULL: no room */
void hkw_publish(void* record, uint32_t kind, uint64_t bytes);
void hkw_end_table(void);
void hkw_table_after_fork(void);

/* uses.c */
void hkw_end_files(void);
void hkw_uses_after_fork(void);

static inline uint64_t hkw_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint32_t hkw_head(uint32_t kind, uint64_t bytes) {
  return kind | (uint32_t)(bytes / 8 << 8);
}

#endif
