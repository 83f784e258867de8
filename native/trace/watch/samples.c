/* One sample: where the thread was, by whom it was called there, in which phase. Everything that
 * happens in the signal handler is a system call, an atomic operation, or the unwinder of libgcc,
 * which since glibc 2.35 takes no lock (_dl_find_object). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unwind.h>

#include "watch.h"

#define SLOTS (1u << 16)
#define PROBES 16u

/* Chains that were told already, by the hash of their addresses. When the table is full, chains are
 * told again. */
typedef struct {
  uint64_t hash;   /* 0: free */
  uint32_t number; /* 0: on its way */
} slot;
static slot* table;

static int descriptor = -1, unusable, opening;
static dev_t device;
static ino_t node;
static uint64_t lost;
static int lost_reason;
static uint32_t chains, phases_told[HKW_PHASES_MOST / 32 + 1], worlds_told;

static uintptr_t interrupted_at(const ucontext_t* context, uintptr_t* stack) {
#if defined(__x86_64__)
  *stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  *stack = context->uc_mcontext.sp;
  return context->uc_mcontext.pc;
#else
  *stack = 0;
  return 0;
#endif
}

/* ---------------------------------------------------------------- the file */

static void give_up(int reason) {
  if (!lost_reason) hkw_warn("the profile cannot grow any more", reason);
  unusable = 1;
  lost_reason = reason;
}

static int open_file(void) {
  hakaru_watch_header header;
  struct stat about;
  int made = hkw_make_file("hks", O_WRONLY | O_APPEND);
  if (made < 0) return give_up(errno), 0;
  hkw_fill_header(&header, HAKARU_WATCH_SAMPLES);
  errno = ENOSPC;
  if (!hkw_within_limit(0, sizeof header) ||
      syscall(SYS_write, made, &header, sizeof header) != (long)sizeof header ||
      syscall(SYS_newfstatat, made, "", &about, AT_EMPTY_PATH) != 0) {
    give_up(errno);
    syscall(SYS_close, made);
    return 0;
  }
  device = about.st_dev;
  node = about.st_ino;
  __atomic_store_n(&descriptor, made, __ATOMIC_RELEASE);
  return 1;
}

/* The first thread that needs the file makes it; others lose samples meanwhile. */
static int is_open(void) {
  if (HKW_LIKELY(__atomic_load_n(&descriptor, __ATOMIC_ACQUIRE) >= 0)) return 1;
  if (unusable || __atomic_exchange_n(&opening, 1, __ATOMIC_ACQ_REL)) return 0;
  return open_file();
}

int hkw_is_own_descriptor(int asked) {
  return asked >= 0 && (asked == descriptor || asked == hkw_table_descriptor);
}

/* Fills in the check and appends. */
void hkw_put(void* record, uint64_t bytes) {
  struct stat about;
  uint64_t hash = 14695981039346656037u, *words = record; /* FNV-1a */
  if (unusable) return;
  ((hakaru_watch_head*)record)->check = 0;
  for (uint64_t i = 0; i < bytes / 8; i++) hash = (hash ^ words[i]) * 1099511628211u;
  ((hakaru_watch_head*)record)->check = (uint32_t)(hash >> 32);
  /* The program may have closed the descriptor, and opened a file of its own by that number. */
  if (syscall(SYS_newfstatat, descriptor, "", &about, AT_EMPTY_PATH) != 0 ||
      about.st_dev != device || about.st_ino != node)
    return give_up(EBADF);
  if (!hkw_within_limit((uint64_t)about.st_size, bytes)) return give_up(EFBIG);
  long written = syscall(SYS_write, descriptor, record, bytes);
  if (written != (long)bytes) give_up(written < 0 ? errno : ENOSPC);
}

/* ---------------------------------------------------------------- chains */

typedef struct {
  hakaru_watch_chain fixed;
  uint64_t addresses[HAKARU_CHAIN_MOST];
  uint32_t count, skipped;
  uintptr_t interrupted, last, top;
  int found;
} walk;

static _Unwind_Reason_Code step(struct _Unwind_Context* context, void* argument) {
  walk* w = argument;
  int exact = 0;
  const uintptr_t address = _Unwind_GetIPInfo(context, &exact), frame = _Unwind_GetCFA(context);
  if (!w->found) { /* frames of the handler */
    w->found = exact && address == w->interrupted;
    w->last = frame;
    return ++w->skipped > 8 ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
  if (address == 0 || frame < w->last || (w->top && frame > w->top)) return _URC_END_OF_STACK;
  if (w->count == HAKARU_CHAIN_MOST) {
    w->fixed.flags |= HAKARU_CHAIN_CUT;
    return _URC_END_OF_STACK;
  }
  w->last = frame;
  w->addresses[w->count++] = exact ? address : address - 1; /* inside the call, not behind it */
  return _URC_NO_REASON;
}

#define LEAST_STACK 8192u /* what the unwinder may need of it */

static void walk_up(walk* w, uintptr_t stack) {
  const hkw_thread* self = &hkw_self;
  w->top = self->stack_top;
  if ((self->stack_low && stack < self->stack_low + LEAST_STACK) ||
      (self->stack_top && stack > self->stack_top))
    w->fixed.flags |= HAKARU_CHAIN_NONE; /* a stack of the program's own, or its end */
  else
    _Unwind_Backtrace(step, w);
  if (!w->found) w->fixed.flags |= HAKARU_CHAIN_NONE;
}

static uint32_t tell_chain(walk* w) {
  for (uint32_t i = 0; i < w->count; i++) hkw_tell_module_of(w->addresses[i]);
  w->fixed.number = __atomic_add_fetch(&chains, 1, __ATOMIC_RELAXED);
  const uint64_t bytes = sizeof w->fixed + 8u * w->count;
  w->fixed.head.head = hkw_head(HAKARU_WATCH_CHAIN, bytes);
  hkw_put(w, bytes);
  return w->fixed.number;
}

static uint32_t chain_number(walk* w) {
  uint64_t hash = 14695981039346656037u ^ w->fixed.flags;
  for (uint32_t i = 0; i < w->count; i++) hash = (hash ^ w->addresses[i]) * 1099511628211u;
  hash |= !hash;
  for (uint32_t probe = 0; table && probe < PROBES; probe++) {
    slot* s = &table[(hash + probe) % SLOTS];
    uint64_t there = __atomic_load_n(&s->hash, __ATOMIC_ACQUIRE);
    if (there == hash) {
      uint32_t number = __atomic_load_n(&s->number, __ATOMIC_ACQUIRE);
      return number ? number : tell_chain(w);
    }
    if (there != 0) continue;
    if (!__atomic_compare_exchange_n(&s->hash, &there, hash, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      break;
    uint32_t number = tell_chain(w);
    __atomic_store_n(&s->number, number, __ATOMIC_RELEASE);
    return number;
  }
  return tell_chain(w);
}

/* ---------------------------------------------------------------- what samples refer to */

static void tell_thread(void) {
  hakaru_watch_thread record = {{hkw_head(HAKARU_WATCH_THREAD, sizeof record), 0},
                                hkw_self.number,
                                (uint32_t)syscall(SYS_gettid),
                                ""};
  prctl(PR_GET_NAME, record.name);
  hkw_self.told = 1;
  hkw_put(&record, sizeof record);
}

static void tell_world(uint32_t worlds) {
  hakaru_watch_world record = {
      {hkw_head(HAKARU_WATCH_WORLD, sizeof record), 0}, hkw.rank, hkw.world_size, hkw.world_id};
  worlds_told = worlds;
  hkw_put(&record, sizeof record);
}

static void tell_phase(uint32_t number) {
  struct {
    hakaru_watch_text fixed;
    char text[256];
  } record;
  memset(&record, 0, sizeof record);
  const char* name = hkw_phase_name(number);
  record.fixed.number = number;
  record.fixed.length = (uint32_t)strlen(name);
  memcpy(record.text, name, record.fixed.length);
  const uint64_t bytes = sizeof record.fixed + HKW_ROUND_UP(record.fixed.length + 1u, 8u);
  record.fixed.head.head = hkw_head(HAKARU_WATCH_PHASE, bytes);
  hkw_put(&record, bytes);
  __atomic_fetch_or(&phases_told[number / 32], 1u << number % 32, __ATOMIC_ACQ_REL);
}

static void take(uint32_t weight, const ucontext_t* context) {
  static HKW_TLS walk kept; /* some threads have small stacks */
  walk* w = &kept;
  uintptr_t stack;
  const uint32_t phase = __atomic_load_n(&hkw.phase, __ATOMIC_ACQUIRE);
  const uint32_t worlds = __atomic_load_n(&hkw.worlds, __ATOMIC_ACQUIRE);
  memset(&w->fixed, 0, sizeof w->fixed);
  w->count = w->skipped = 0;
  w->found = 0;
  w->interrupted = interrupted_at(context, &stack);
  walk_up(w, stack);
  if (!hkw_self.told) tell_thread();
  if (worlds != worlds_told) tell_world(worlds);
  if (phase && !(phases_told[phase / 32] & 1u << phase % 32)) tell_phase(phase);
  hkw_tell_module_of(w->interrupted);
  hakaru_watch_sample record = {{hkw_head(HAKARU_WATCH_SAMPLE, sizeof record), 0},
                                hkw_now(CLOCK_REALTIME),
                                w->interrupted,
                                chain_number(w),
                                hkw_self.number,
                                phase,
                                weight};
  hkw_put(&record, sizeof record);
}

void hkw_on_sample(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  (void)signal;
  if (hkw.sampling && !hkw.paused && info->si_code == SI_TIMER &&
      info->si_value.sival_ptr == &hkw) {
    const uint32_t weight = 1u + (info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0u);
    if (!unusable && is_open()) take(weight, context);
    if (unusable) __atomic_add_fetch(&lost, weight, __ATOMIC_RELAXED);
  }
  errno = saved;
}

/* ---------------------------------------------------------------- begin and end */

void hkw_start_samples(void) {
  void* made = mmap(NULL, SLOTS * sizeof *table, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  table = made == MAP_FAILED ? NULL : made;
}

void hkw_step_aside(void) {
  hakaru_watch_head record = {hkw_head(HAKARU_WATCH_ASIDE, sizeof record), 0};
  hkw.sampling = 0;
  if (is_open()) hkw_put(&record, sizeof record);
}

void hkw_end_samples(void) {
  if (!hkw.period_ns || descriptor < 0) return;
  hkw.sampling = 0;
  unusable = 0; /* a last try: what was lost should be known */
  hakaru_watch_end record = {{hkw_head(HAKARU_WATCH_END, sizeof record), 0},
                             hkw_now(CLOCK_REALTIME),
                             hkw_now(CLOCK_PROCESS_CPUTIME_ID),
                             lost,
                             (uint64_t)lost_reason};
  hkw_put(&record, sizeof record);
}

void hkw_samples_after_fork(void) {
  if (descriptor >= 0) syscall(SYS_close, descriptor);
  descriptor = -1;
  unusable = opening = 0;
  lost = 0;
  lost_reason = 0;
  chains = worlds_told = 0;
  memset(phases_told, 0, sizeof phases_told);
  if (table) madvise(table, SLOTS * sizeof *table, MADV_DONTNEED); /* zeros again */
}
