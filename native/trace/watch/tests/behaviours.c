/* What programs do that a sampler and a watcher have to live with. The first argument says which,
 * the second how many rounds are computed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static long rounds;
static volatile sig_atomic_t alarms;

__attribute__((noinline)) void compute(void) {
  uint64_t x = 88172645463325252u;
  for (long i = 0; i < 10000 * rounds; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink ^= x;
}

static void count_alarm(int number) {
  (void)number;
  alarms++;
}

/* SIGPROF and ITIMER_PROF of its own: both go on. */
static int own_timer(void) {
  struct itimerval every = {{0, 20000}, {0, 20000}};
  signal(SIGPROF, count_alarm);
  setitimer(ITIMER_PROF, &every, NULL);
  compute();
  return alarms > 0 ? 0 : 1;
}

/* Takes every real-time signal. */
static int every_signal(void) {
  compute();
  for (int number = SIGRTMIN; number <= SIGRTMAX; number++) signal(number, count_alarm);
  compute();
  raise(SIGRTMAX - 2);
  return alarms == 1 ? 0 : 1;
}

static int forks(void) {
  pid_t child = fork();
  compute();
  if (child == 0) _exit(3);
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 3 ? 0 : 1;
}

static void* blocked(void* nothing) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  compute();
  return nothing;
}

static void* briefly(void* nothing) {
  uint64_t x = 88172645463325252u;
  for (long i = 0; i < 200000; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink ^= x;
  return nothing;
}

/* Thousands of threads, each much shorter than the time between two samples. */
static int short_threads(void) {
  for (long i = 0; i < rounds; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, briefly, NULL) != 0) return 1;
    pthread_join(thread, NULL);
  }
  return 0;
}

static int blocks_signals(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, blocked, NULL);
  pthread_join(thread, NULL);
  return 0;
}

static int loads(const char* library) {
  void* opened = dlopen(library, RTLD_NOW);
  if (!opened) return 1;
  void (*work)(long) = (void (*)(long))dlsym(opened, "compute_in_library");
  work(10000 * rounds);
  return dlclose(opened);
}

static int kills_itself(void) {
  FILE* file = fopen("before.txt", "w");
  fprintf(file, "%d\n", 123456);
  fflush(file);
  compute();
  raise(SIGKILL);
  return 1;
}

/* As daemons do. Its own file, opened afterwards, must hold what it wrote and nothing else. */
static int closes_all(void) {
  char text[64] = "";
  compute();
  for (int i = 3; i < 2000; i++) close(i);
  int file = open("own.txt", O_RDWR | O_CREAT | O_TRUNC, 0666);
  compute();
  if (write(file, "mine", 4) != 4) return 1;
  compute();
  lseek(file, 0, SEEK_SET);
  return read(file, text, sizeof text) == 4 && strcmp(text, "mine") == 0 ? 0 : 1;
}

static int keeps_errno(void) {
  const clock_t end = clock() + CLOCKS_PER_SEC / 2;
  while (clock() < end) {
    errno = ERANGE;
    for (volatile int i = 0; i < 100000; i++)
      if (errno != ERANGE) return 1;
  }
  return 0;
}

/* A signal handler that writes, also in the middle of another write. */
static int file;
static void writes(int number) {
  (void)number;
  if (write(file, "h", 1) != 1) _exit(9);
}
static int writes_in_handler(void) {
  struct itimerval every = {{0, 1000}, {0, 1000}};
  file = open("handler.dat", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  struct sigaction action = {.sa_handler = writes, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &every, NULL);
  for (long i = 0; i < 1000 * rounds; i++)
    if (write(file, "0123456789", 10) != 10) return 1;
  memset(&every, 0, sizeof every);
  setitimer(ITIMER_REAL, &every, NULL);
  return close(file);
}

static int characters(void) {
  FILE* stream = fopen("characters.txt", "w");
  for (long i = 0; i < 1000; i++) fputc('a' + (int)(i % 26), stream);
  fputs("0123456789", stream);
  for (long i = 0; i < 500; i++) putc_unlocked('z', stream);
  return fclose(stream);
}

int main(int count, char** words) {
  const char* what = words[1];
  rounds = atol(words[2]);
  if (strcmp(what, "own_timer") == 0) return own_timer();
  if (strcmp(what, "every_signal") == 0) return every_signal();
  if (strcmp(what, "forks") == 0) return forks();
  if (strcmp(what, "blocks_signals") == 0) return blocks_signals();
  if (strcmp(what, "short_threads") == 0) return short_threads();
  if (strcmp(what, "loads") == 0 && count > 3) return loads(words[3]);
  if (strcmp(what, "kills_itself") == 0) return kills_itself();
  if (strcmp(what, "closes_all") == 0) return closes_all();
  if (strcmp(what, "keeps_errno") == 0) return keeps_errno();
  if (strcmp(what, "writes_in_handler") == 0) return writes_in_handler();
  if (strcmp(what, "characters") == 0) return characters();
  if (strcmp(what, "compute") == 0) return compute(), 0;
  return 2;
}
