/* A timer of CPU time for each thread, whose signal goes to that thread. A real-time signal that
 * nobody uses; when the program takes it later, sampling ends and says so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "watch.h"

HKW_TLS hkw_thread hkw_self;
static pthread_key_t ending;
#define TIMERS_MOST 4096
static int timers[TIMERS_MOST]; /* kernel id + 1; 0: free */
static uint32_t threads = 1;    /* numbers given; 0 is the first thread of the process */

static int (*real_sigaction)(int, const struct sigaction*, struct sigaction*);
static int (*real_sigmask)(int, const sigset_t*, sigset_t*);
static int (*real_process_mask)(int, const sigset_t*, sigset_t*);
static int (*real_create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static int (*real_thrd_create)(thrd_t*, thrd_start_t, void*);

#define RESOLVE(pointer, name) \
  if (HKW_UNLIKELY(!(pointer))) (pointer) = (__typeof__(pointer))dlsym(RTLD_NEXT, name)

static int choose_signal(void) {
  struct sigaction now, wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.sa_sigaction = hkw_on_sample;
  wanted.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&wanted.sa_mask);
  RESOLVE(real_sigaction, "sigaction");
  for (int signal = SIGRTMAX - 2; signal >= SIGRTMIN + 2; signal--) {
    if (real_sigaction(signal, NULL, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    return real_sigaction(signal, &wanted, NULL) == 0 ? signal : 0;
  }
  return 0;
}

static void find_stack(void) {
  pthread_attr_t attributes;
  void* low = NULL;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    /* The first thread's stack grows: its limit may be raised. */
    hkw_self.stack_low = hkw_self.number == 0 ? 0 : (uintptr_t)low;
    hkw_self.stack_top = (uintptr_t)low + bytes;
  }
  pthread_attr_destroy(&attributes);
}

static void unblock(void) {
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, hkw.signal);
  RESOLVE(real_sigmask, "pthread_sigmask");
  real_sigmask(SIG_UNBLOCK, &own, NULL);
}

static void keep_timer(int timer) {
  for (int i = 0; i < TIMERS_MOST; i++) {
    int none = 0;
    if (timers[i] == 0 && __atomic_compare_exchange_n(&timers[i], &none, timer + 1, 0,
                                                      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return;
  }
}

/* 0 when another thread did. */
static int take_timer(int timer) {
  for (int i = 0; i < TIMERS_MOST; i++) {
    int kept = timer + 1;
    if (timers[i] == kept &&
        __atomic_compare_exchange_n(&timers[i], &kept, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      return 1;
  }
  return 0;
}

/* No signal of ours comes any more: timers go, and ignoring a signal discards the pending ones. */
static void stop(void) {
  struct sigaction ignored;
  memset(&ignored, 0, sizeof ignored);
  ignored.sa_handler = SIG_IGN;
  for (int i = 0; i < TIMERS_MOST; i++) {
    const int kept = __atomic_exchange_n(&timers[i], 0, __ATOMIC_ACQ_REL);
    if (kept) syscall(SYS_timer_delete, kept - 1);
  }
  real_sigaction(hkw.signal, &ignored, NULL);
}

static struct timespec as_time(uint64_t ns) {
  return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

/* So that threads that end before their first period has passed are sampled as often as others: the
 * kernel looks at the timer in its ticks, so a thread's k-th tick is sampled with probability
 * tick / period when the first expiry is (k - 1) ticks and a little, k - 1 spread evenly up to the
 * period (multiples of the golden ratio modulo 1). */
static uint64_t first_expiry(uint32_t number) {
  struct timespec tick = {0, 0};
  clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
  const uint32_t spread = number * 2654435769u + 2147483648u; /* 2^32 / golden ratio */
  const uint64_t expiry = (uint64_t)((double)spread / 4294967296.0 * (double)hkw.period_ns);
  const uint64_t tick_ns = (uint64_t)tick.tv_nsec;
  return tick_ns ? expiry / tick_ns * tick_ns + 1 : expiry + 1;
}

void hkw_thread_begins(uint32_t number) {
  hkw_self.number = number;
  hkw_self.told = 0;
  find_stack();
  unblock();
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = hkw.signal;
  event.sigev_value.sival_ptr = &hkw;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &hkw_self.timer) != 0) return;
  keep_timer(hkw_self.timer);
  const struct itimerspec every = {as_time(hkw.period_ns), as_time(first_expiry(number))};
  hkw_self.ready = 1;
  syscall(SYS_timer_settime, hkw_self.timer, 0, &every, NULL);
  pthread_setspecific(ending, &hkw_self);
}

/* Timers count against RLIMIT_SIGPENDING until they are deleted. */
static void thread_ends(void* self) {
  (void)self;
  if (!hkw_self.ready) return;
  hkw_self.ready = 0;
  if (take_timer(hkw_self.timer)) syscall(SYS_timer_delete, hkw_self.timer);
}

void hkw_start_threads(void) {
  hkw.signal = choose_signal();
  if (!hkw.signal || pthread_key_create(&ending, thread_ends) != 0) {
    hkw_warn("the profile has no real-time signal of its own", EBUSY);
    return;
  }
  hkw_start_samples();
  hkw.sampling = 1;
  hkw_thread_begins(0);
}

/* Timers are not inherited. */
void hkw_threads_after_fork(void) {
  threads = 1;
  hkw_self.ready = 0;
  memset(timers, 0, sizeof timers);
  if (hkw.sampling) hkw_thread_begins(0);
}

/* ---------------------------------------------------------------- threads of the program */

typedef struct {
  void* (*routine)(void*);
  thrd_start_t c11;
  void* argument;
} start;

static start begin(void* given) {
  start kept = *(start*)given;
  free(given);
  if (hkw.sampling) hkw_thread_begins(__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED));
  return kept;
}

static void* run(void* given) {
  start kept = begin(given);
  return kept.routine(kept.argument);
}

static int run_c11(void* given) {
  start kept = begin(given);
  return kept.c11(kept.argument);
}

static start* started(void* (*routine)(void*), thrd_start_t c11, void* argument) {
  start* made = hkw.sampling ? malloc(sizeof *made) : NULL;
  if (made) *made = (start){routine, c11, argument};
  return made;
}

HKW_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*routine)(void*), void* argument) {
  RESOLVE(real_create, "pthread_create");
  start* made = started(routine, NULL, argument);
  if (!made) return real_create(thread, attributes, routine, argument);
  int error = real_create(thread, attributes, run, made);
  if (error) free(made);
  return error;
}

HKW_EXPORT int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  RESOLVE(real_thrd_create, "thrd_create");
  start* made = started(NULL, routine, argument);
  if (!made) return real_thrd_create(thread, routine, argument);
  int error = real_thrd_create(thread, run_c11, made);
  if (error != thrd_success) free(made);
  return error;
}

/* ---------------------------------------------------------------- the program's own signals */

HKW_EXPORT int sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) {
  RESOLVE(real_sigaction, "sigaction");
  if (wanted && hkw.sampling && signal == hkw.signal) {
    hkw_step_aside();
    stop();
    if (before) memset(before, 0, sizeof *before);
    return real_sigaction(signal, wanted, NULL);
  }
  return real_sigaction(signal, wanted, before);
}

typedef sighandler_t (*setter)(int, sighandler_t);
static setter real_signal, real_sysv_signal;

static sighandler_t set_handler(setter real, int number, sighandler_t handler) {
  if (!hkw.sampling || number != hkw.signal) return real(number, handler);
  RESOLVE(real_sigaction, "sigaction");
  hkw_step_aside();
  stop();
  return real(number, handler) == SIG_ERR ? SIG_ERR : SIG_DFL;
}
HKW_EXPORT sighandler_t signal(int number, sighandler_t handler) {
  RESOLVE(real_signal, "signal");
  return set_handler(real_signal, number, handler);
}
HKW_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler) {
  RESOLVE(real_sysv_signal, "sysv_signal");
  return set_handler(real_sysv_signal, number, handler);
}

/* Threads that block every signal are sampled all the same. */
static const sigset_t* without_ours(int how, const sigset_t* wanted, sigset_t* own) {
  if (!wanted || !hkw.sampling || how == SIG_UNBLOCK) return wanted;
  *own = *wanted;
  sigdelset(own, hkw.signal);
  return own;
}

HKW_EXPORT int pthread_sigmask(int how, const sigset_t* wanted, sigset_t* before) {
  sigset_t own;
  RESOLVE(real_sigmask, "pthread_sigmask");
  return real_sigmask(how, without_ours(how, wanted, &own), before);
}

HKW_EXPORT int sigprocmask(int how, const sigset_t* wanted, sigset_t* before) {
  sigset_t own;
  RESOLVE(real_process_mask, "sigprocmask");
  return real_process_mask(how, without_ours(how, wanted, &own), before);
}
