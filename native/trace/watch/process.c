/* A watched process: what its environment asks for, its names, its phases, its end, its forks. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "watch.h"

hkw_state hkw;

/* Where launchers say the rank. */
static const char* const RANKS[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                    "PALS_RANKID",          "SLURM_PROCID", "MV2_COMM_WORLD_RANK"};

void hkw_warn(const char* what, int error) {
  char text[512], why[128];
  int length = snprintf(text, sizeof text, "hakaru trace: %s (%s); the program runs on without\n",
                        what, strerror_r(error, why, sizeof why));
  if (length > 0) syscall(SYS_write, 2, text, (size_t)length);
}

int hkw_within_limit(uint64_t end, uint64_t bytes) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         end + bytes <= limit.rlim_cur; /* growing over it would raise SIGXFSZ */
}

/* Programs that close every low descriptor do not meet it there. */
static int moved_up(int descriptor) {
  struct rlimit limit;
  int least = 200;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 4096)
    least = (int)limit.rlim_cur - 8;
  long higher = syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, least > 8 ? least : 8);
  if (higher < 0) return descriptor;
  syscall(SYS_close, descriptor);
  return (int)higher;
}

int hkw_make_file(const char* suffix, int flags) {
  char path[2400];
  syscall(SYS_mkdirat, AT_FDCWD, hkw.folder, 0777);
  for (int number = 0; number < 10000; number++) {
    snprintf(path, sizeof path, "%s/%s-%d-%d.%s", hkw.folder, hkw.host, (int)hkw.process, number,
             suffix);
    long made = syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_EXCL | O_CLOEXEC | flags, 0666);
    if (made >= 0) return moved_up((int)made);
    if (errno != EEXIST) break;
  }
  return -1;
}

void hkw_fill_header(hakaru_watch_header* header, const char* magic) {
  memset(header, 0, sizeof *header);
  memcpy(header->magic, magic, sizeof header->magic);
  header->version = HAKARU_WATCH_VERSION;
  header->endian = HAKARU_WATCH_ENDIAN;
  header->header_bytes = sizeof *header;
  header->process_id = (uint32_t)hkw.process;
  header->parent_id = (uint32_t)getppid();
  header->rank = hkw.rank;
  header->world_size = hkw.world_size;
  header->start_ns = hkw_now(CLOCK_REALTIME);
  header->period_ns = hkw.period_ns;
  memcpy(header->host, hkw.host, sizeof header->host);
  memcpy(header->boot_id, hkw.boot_id, sizeof header->boot_id);
  memcpy(header->program, hkw.program, sizeof header->program);
}

static void read_names(void) {
  long file =
      syscall(SYS_openat, AT_FDCWD, "/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0);
  if (file >= 0) {
    long bytes = syscall(SYS_read, (int)file, hkw.boot_id, sizeof hkw.boot_id - 1);
    hkw.boot_id[bytes > 0 ? strcspn(hkw.boot_id, "\n") : 0] = 0;
    syscall(SYS_close, (int)file);
  }
  const char* boot_id = getenv("HAKARU_TRACE_BOOT_ID");
  if (boot_id && *boot_id) snprintf(hkw.boot_id, sizeof hkw.boot_id, "%s", boot_id);
  gethostname(hkw.host, sizeof hkw.host - 1);
  for (char* c = hkw.host; *c; c++)
    if (*c == '/') *c = '_';
  if (readlink("/proc/self/exe", hkw.program, sizeof hkw.program - 1) < 0) hkw.program[0] = 0;
  hkw.rank = -1;
  for (size_t i = 0; i < sizeof RANKS / sizeof *RANKS; i++) {
    const char* said = getenv(RANKS[i]);
    if (said && *said >= '0' && *said <= '9') {
      hkw.rank = atoi(said);
      return;
    }
  }
}

/* ---------------------------------------------------------------- phases */

typedef struct {
  uint32_t id;
  char name[252];
} phase;
static phase phases[HKW_PHASES_MOST]; /* number - 1 */
static uint32_t phase_count, open_phases[64], open_count;

const char* hkw_phase_name(uint32_t number) { return phases[number - 1].name; }

static uint32_t phase_number(uint32_t id, const char* name) {
  for (uint32_t i = 0; i < phase_count; i++)
    if (phases[i].id == id) return i + 1;
  if (phase_count == HKW_PHASES_MOST) return 0;
  phase* added = &phases[phase_count];
  added->id = id;
  snprintf(added->name, sizeof added->name, "%s", name);
  return __atomic_add_fetch(&phase_count, 1, __ATOMIC_RELEASE);
}

void hkw_tell_phase(uint32_t id, const char* name, int begin) {
  if (!hkw.sampling && !hkw.files) return;
  const uint32_t number = phase_number(id, name), most = sizeof open_phases / sizeof *open_phases;
  if (begin) {
    if (open_count < most) open_phases[open_count] = number;
    open_count++;
  } else {
    uint32_t at = open_count < most ? open_count : most;
    while (at > 0 && open_phases[at - 1] != number) at--;
    if (at > 0) open_count = at - 1;
  }
  const uint32_t known = open_count < most ? open_count : most;
  __atomic_store_n(&hkw.phase, known ? open_phases[known - 1] : 0, __ATOMIC_RELEASE);
}

void hkw_tell_world(int rank, int size, uint64_t world_id) {
  hkw.rank = rank;
  hkw.world_size = size;
  hkw.world_id = world_id;
  __atomic_add_fetch(&hkw.worlds, 1, __ATOMIC_RELEASE);
}

void hkw_tell_pause(int paused) { hkw.paused = paused; }

/* ---------------------------------------------------------------- begin, end, forks */

static void after_fork(void) {
  hkw.process = getpid();
  hkw_samples_after_fork();
  hkw_modules_after_fork();
  hkw_table_after_fork();
  hkw_uses_after_fork();
  hkw_threads_after_fork();
}

static uint64_t number_in(const char* name) {
  const char* text = getenv(name);
  return text ? strtoull(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void on_load(void) {
  const char* folder = getenv("HAKARU_TRACE_FOLDER");
  if (!folder || !*folder || strlen(folder) >= sizeof hkw.folder) return;
  snprintf(hkw.folder, sizeof hkw.folder, "%s", folder);
  hkw.process = getpid();
  hkw.period_ns = number_in("HAKARU_TRACE_PROFILE");
  const int files = number_in("HAKARU_TRACE_FILES") != 0;
  if (!hkw.period_ns && !files) return;
  read_names();
  pthread_atfork(NULL, NULL, after_fork);
  hkw.files = files;
  if (hkw.period_ns) hkw_start_threads();
}

void hkw_end_process(void) {
  static pid_t ended;
  if (ended == hkw.process) return;
  if (hkw.process != getpid()) return; /* a child of vfork */
  ended = hkw.process;
  if (hkw.files) hkw_end_files();
  hkw_end_samples();
  hkw.sampling = hkw.files = 0;
}

__attribute__((destructor)) static void on_exit_of_process(void) { hkw_end_process(); }

#ifndef HAKARU_TRACE_WITH_MPI
/* Runs no destructors. */
HKW_EXPORT __attribute__((noreturn)) void _exit(int status) {
  hkw_end_process();
  for (;;) syscall(SYS_exit_group, status);
}
HKW_EXPORT __attribute__((noreturn, alias("_exit"))) void _Exit(int status);
#endif
