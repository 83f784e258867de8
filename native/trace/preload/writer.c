/* The file of this rank: a mapped window that moves along a growing file. What is written stays
 * readable when the process is killed, since the pages belong to the kernel. Blocks are allocated
 * before they are mapped: a full disk ends the recording, never the program. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer.h"

#define WINDOW_BYTES (2u << 20)
#define PAGE_BYTES 4096u
#define ROUND_UP(bytes) (((bytes) + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES)

hk_state hk;
pthread_mutex_t hk_lock = PTHREAD_MUTEX_INITIALIZER;
__thread int hk_inside;
__thread uint32_t hk_thread;

static int file_descriptor = -1;
static uint64_t fixed_bytes;  /* header, call table and counters: always mapped */
static uint64_t window_start; /* file offset of the window */
static char* window;
static uint64_t window_bytes;
static uint64_t allocated_bytes;
static uint64_t* scratch; /* where records go that are not kept */
static uint64_t scratch_words;
static uint32_t next_string = 1;
static uint64_t next_look_words = 512;

void hk_warn(const char* what, const char* why) {
  fprintf(stderr, "hakaru trace: %s (%s); the program runs on without\n", what, why);
}

/* 0, or the errno. */
static int allocate(uint64_t end) {
  struct rlimit limit;
  if (end <= allocated_bytes) return 0;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      end > limit.rlim_cur)
    return EFBIG; /* growing would raise SIGXFSZ */
  int error;
  do {
    error =
        posix_fallocate(file_descriptor, (off_t)allocated_bytes, (off_t)(end - allocated_bytes));
  } while (error == EINTR);
  if (error == 0) allocated_bytes = end;
  return error;
}

static uint64_t written_bytes(void) {
  return hk.lost || hk.off ? hk.header->records_end
                           : window_start + (uint64_t)((char*)hk.cursor - window);
}

/* MAP_POPULATE maps pages of a shared file for reading: each would fault at its first record, for
 * several us. Kernels before 5.14 refuse, and then each does. */
static void prefault(void* mapped, uint64_t length) {
#if !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23
#endif
  (void)madvise(mapped, length, MADV_POPULATE_WRITE);
}

/* Maps the file from `offset` on, with room for `bytes`. */
static int map_window(uint64_t offset, uint64_t bytes) {
  uint64_t start = offset / PAGE_BYTES * PAGE_BYTES;
  uint64_t length = ROUND_UP(offset - start + bytes);
  if (length < WINDOW_BYTES) length = WINDOW_BYTES;
  if (window) munmap(window, window_bytes);
  window = NULL;
  int error = allocate(start + length);
  if (error) return error;
  void* mapped =
      mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file_descriptor, (off_t)start);
  if (mapped == MAP_FAILED) return errno;
  prefault(mapped, length);
  window = mapped;
  window_bytes = length;
  window_start = start;
  hk.cursor = (uint64_t*)(window + (offset - start));
  hk.limit = (uint64_t*)(window + length);
  return 0;
}

static void use_scratch(uint64_t words) {
  if (words > scratch_words) {
    free(scratch);
    scratch_words = words < 4096 ? 4096 : words;
    scratch = malloc(scratch_words * sizeof *scratch);
    if (!scratch) abort();
  }
  hk.cursor = scratch;
  hk.limit = scratch; /* so that the next record asks again */
}

static void stop_recording(uint64_t end, int reason) {
  char why[128];
  hk.header->records_end = end;
  hk.header->lost_from_ticks = hk_ticks();
  hk.header->lost_reason = (uint64_t)reason;
  hk.lost = 1;
  snprintf(why, sizeof why, "%s", strerror(reason));
  hk_warn("the trace cannot grow any more", why);
}

uint64_t hk_write_flush(uint64_t begin) {
  hakaru_raw_flush flush = {{0, HAKARU_META_FLUSH}, begin, hk_ticks()};
  memcpy(hk.cursor + 1, &flush.begin, sizeof flush - sizeof flush.meta);
  uint64_t head = HAKARU_RAW_META | (HK_FLUSH_WORDS << 12) | ((uint64_t)HAKARU_META_FLUSH << 32);
  __atomic_store_n(hk.cursor, head, __ATOMIC_RELEASE);
  hk.cursor += HK_FLUSH_WORDS;
  hk.header->records++;
  return flush.end - begin;
}

/* Memory is looked at when hk_grow is called: after some records, then after four times as many. */
static void look_after(uint64_t words) {
  uint64_t* end = (uint64_t*)(window + window_bytes);
  hk.limit = end - hk.cursor > (ptrdiff_t)words ? hk.cursor + words : end;
}

void hk_begin_looks(void) {
  if (window && hk_first_look_at_memory()) look_after(next_look_words);
}

static int has_room(uint64_t words) {
  return window && (char*)(hk.cursor + words + HK_FLUSH_WORDS) <= window + window_bytes;
}

/* Makes room for a record of `words`; when there is none to be had, it goes to memory that nobody
 * reads. */
uint64_t hk_grow(uint64_t words) {
  uint64_t begin = hk_ticks();
  if (!hk.lost && !hk.off) {
    hk_look_at_memory();
    if (has_room(words)) {
      next_look_words *= 4;
      look_after(words + HK_FLUSH_WORDS + next_look_words);
      return hk_write_flush(begin);
    }
    uint64_t end = written_bytes();
    hk.header->last = hk_calibrate();
    int error = map_window(end, (words + HK_FLUSH_WORDS) * sizeof(uint64_t));
    if (!error) return hk_write_flush(begin);
    stop_recording(end, error);
  }
  if (hk.lost) hk.header->lost_records++;
  hk.header->records--; /* hk_close counts it */
  use_scratch(words);
  return hk_ticks() - begin;
}

/* A record that is longer than its head can say (350,000 receives completed at once) keeps its time
 * and loses its items. */
void hk_shorten(hk_call* call) {
  uint64_t* items = call->start + 2;
  if (call->leave - call->enter >= HAKARU_RAW_LONG) items += 2;
  memset(items, 0, (size_t)(call->at - items) * sizeof *items);
  call->at = items;
  hk.header->lost_records++;
  hk.header->lost_reason = EOVERFLOW;
}

void hk_record_off(void) {
  if (hk.off || hk.lost) return;
  hk.header->records_end = written_bytes();
  hk.off = 1;
  use_scratch(0);
}

void hk_record_on(void) {
  if (!hk.off) return;
  uint64_t end = hk.header->records_end;
  hk.off = 0;
  int error = hk.lost ? 0 : map_window(end, PAGE_BYTES);
  if (error) stop_recording(end, error), use_scratch(0);
}

/* Definitions are written while recording is off, too: calls after it refer to them. */
void hk_meta(uint32_t kind, const void* words, uint64_t bytes, const void* more,
             uint64_t more_bytes) {
  uint64_t length = 1 + (bytes + more_bytes + 7) / 8;
  int was_off = hk.off;
  if (hk.lost) return;
  if (length >= HK_MOST_WORDS) return;
  if (was_off) hk_record_on();
  if (hk.limit - hk.cursor < (ptrdiff_t)length) {
    hk_grow(length);
    if (hk.lost) {
      hk.header->records++; /* hk_grow counted a call */
      return;
    }
  }
  uint64_t* at = hk.cursor;
  at[length - 1] = 0;
  memcpy(at + 1, words, bytes);
  if (more_bytes) memcpy((char*)(at + 1) + bytes, more, more_bytes);
  uint64_t head = HAKARU_RAW_META | (length << 12) | ((uint64_t)kind << 32);
  __atomic_store_n(at, head, __ATOMIC_RELEASE);
  hk.cursor = at + length;
  hk.header->records++;
  if (was_off) hk_record_off();
}

uint32_t hk_string(const char* text) {
  uint32_t length = (uint32_t)strnlen(text, 4000);
  uint32_t words[2] = {next_string++, length};
  char ended[4001];
  memcpy(ended, text, length);
  ended[length] = 0;
  hk_meta(HAKARU_META_STRING, words, sizeof words, ended, length + 1u);
  return words[0];
}

void hk_switch_thread(void) {
  if (hk_thread == 0) hk_thread = ++hk.header->threads;
  if (hk_thread == hk.last_thread) return;
  hk.last_thread = hk_thread;
  uint32_t words[2] = {hk_thread - 1, 0};
  hk_meta(HAKARU_META_THREAD, words, sizeof words, NULL, 0);
}

static void fill_header(int rank, int world_size, int thread_level, int spawned) {
  hakaru_raw_header* header = hk.header;
  char library[MPI_MAX_LIBRARY_VERSION_STRING + 1] = {0};
  int length = 0, version = 0, subversion = 0;
  header->version = HAKARU_RAW_VERSION;
  header->endian = HAKARU_RAW_ENDIAN;
  header->calls_offset = PAGE_BYTES;
  header->counters_offset = header->calls_offset + hk_call_count * sizeof(hakaru_raw_call);
  header->records_offset = fixed_bytes;
  header->call_count = hk_call_count;
  header->rank = rank;
  header->world_size = world_size;
  header->clock = hk.use_tsc ? HAKARU_RAW_CLOCK_TSC : HAKARU_RAW_CLOCK_MONOTONIC;
  header->thread_level = thread_level == MPI_THREAD_MULTIPLE     ? 3
                         : thread_level == MPI_THREAD_SERIALIZED ? 2
                         : thread_level == MPI_THREAD_FUNNELED   ? 1
                                                                 : 0;
  header->process_id = (uint64_t)getpid();
  header->spawned = (uint32_t)spawned;
  header->world_id = hk.world_id;
#if defined(OPEN_MPI)
  header->mpi_kind = HAKARU_RAW_MPI_OPEN_MPI;
#elif defined(MPICH_VERSION)
  header->mpi_kind = HAKARU_RAW_MPI_MPICH;
#endif
  PMPI_Get_version(&version, &subversion);
  header->mpi_version = (uint32_t)version;
  header->mpi_subversion = (uint32_t)subversion;
  PMPI_Get_library_version(library, &length);
  library[strcspn(library, "\n")] = 0;
  snprintf(header->mpi_library, sizeof header->mpi_library, "%.1000s", library);
  gethostname(header->host, sizeof header->host - 1);
  sched_getaffinity(0, sizeof header->allowed, (cpu_set_t*)header->allowed);
  hk_read_boot_id(header->boot_id, sizeof header->boot_id);
  ssize_t bytes = readlink("/proc/self/exe", header->program, sizeof header->program - 1);
  if (bytes < 0) header->program[0] = 0;
}

static void fail_to_open(const char* path, int error) {
  char what[4400];
  snprintf(what, sizeof what, "this rank is not recorded: cannot make %s", path);
  hk_warn(what, strerror(error));
  if (file_descriptor >= 0) close(file_descriptor), unlink(path);
  file_descriptor = -1;
}

void hk_open_file(const char* folder, int rank, int world_size, int thread_level, int spawned) {
  char path[4200];
  if (spawned)
    snprintf(path, sizeof path, "%s/spawned-%ld-rank-%07d.hkr", folder, (long)getpid(), rank);
  else
    snprintf(path, sizeof path, "%s/rank-%07d.hkr", folder, rank);
  mkdir(folder, 0777); /* other hosts may not share the folder */
  file_descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file_descriptor < 0) return fail_to_open(path, errno);
  fixed_bytes =
      ROUND_UP(PAGE_BYTES + hk_call_count * (sizeof(hakaru_raw_call) + sizeof(hakaru_raw_counter)));
  int error = allocate(fixed_bytes);
  if (error) return fail_to_open(path, error);
  char* fixed = mmap(NULL, fixed_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_descriptor, 0);
  if (fixed == MAP_FAILED) return fail_to_open(path, errno);
  hk.header = (hakaru_raw_header*)fixed;
  fill_header(rank, world_size, thread_level, spawned);
  memcpy(fixed + hk.header->calls_offset, hk_calls, hk_call_count * sizeof *hk_calls);
  hk.counters = (hakaru_raw_counter*)(fixed + hk.header->counters_offset);
  hk_thread = hk.last_thread = hk.header->threads = 1;
  error = map_window(fixed_bytes, PAGE_BYTES);
  if (error) stop_recording(fixed_bytes, error), use_scratch(0);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  memcpy(hk.header->magic, HAKARU_RAW_MAGIC, sizeof hk.header->magic);
}

/* Sets the end. Others may still be writing: the file stays as it is. */
void hk_end_file(uint32_t status, int code) {
  if (file_descriptor < 0) return;
  hk.header->records_end = written_bytes();
  hk.header->last = hk_calibrate();
  hk.header->status_code = code;
  __atomic_store_n(&hk.header->status, status, __ATOMIC_RELEASE);
  hk.active = 0;
}

/* Sets the end; the file gives back the blocks that it did not need. */
void hk_close_file(uint32_t status, int code) {
  if (file_descriptor < 0) return;
  hk_end_file(status, code);
  if (window) munmap(window, window_bytes);
  window = NULL;
  if (ftruncate(file_descriptor, (off_t)hk.header->records_end) != 0)
    hk_warn("a trace file keeps its spare blocks", strerror(errno));
  close(file_descriptor);
  file_descriptor = -1;
}
