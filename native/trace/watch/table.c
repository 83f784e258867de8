/* The mapped file of a process: records are added at its end and stay mapped, so that sums are
 * renewed in place and are there when the process is killed. Blocks are allocated before they are
 * mapped: a full disk ends the recording, never the program. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "watch.h"

#define SEGMENT (64u << 10)
#define MOST_BYTES (64u << 20)

int hkw_table_descriptor = -1;
hakaru_watch_header* hkw_table;
static char *at, *end;
static uint64_t file_bytes;
static int unusable;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static HKW_TLS int locked;

int hkw_lock(void) {
  if (locked) {
    if (hkw_table) __atomic_add_fetch(&hkw_table->lost_calls, 1, __ATOMIC_RELAXED);
    return 0;
  }
  locked = 1;
  pthread_mutex_lock(&lock);
  return 1;
}

void hkw_unlock(void) {
  pthread_mutex_unlock(&lock);
  locked = 0;
}

static void give_up(int reason) {
  if (!unusable) hkw_warn("the use of files cannot be recorded any more", reason);
  unusable = 1;
  if (hkw_table) hkw_table->lost_reason = (uint64_t)reason;
}

/* 0, or the errno. */
static int allocate(uint64_t from, uint64_t bytes) {
  static const char zeros[4096];
  if (!hkw_within_limit(from, bytes)) return EFBIG;
  long result;
  do result = syscall(SYS_fallocate, hkw_table_descriptor, 0, (off_t)from, (off_t)bytes);
  while (result != 0 && errno == EINTR);
  if (result == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  for (uint64_t done = 0; done < bytes; done += sizeof zeros) {
    long written =
        syscall(SYS_pwrite64, hkw_table_descriptor, zeros, sizeof zeros, (off_t)(from + done));
    if (written != (long)sizeof zeros) return written < 0 ? errno : ENOSPC;
  }
  return 0;
}

static int add_segment(void) {
  if (file_bytes >= MOST_BYTES) return EFBIG;
  int error = allocate(file_bytes, SEGMENT);
  if (error) return error;
  void* mapped = (void*)syscall(SYS_mmap, NULL, (size_t)SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED,
                                hkw_table_descriptor, (off_t)file_bytes);
  if (mapped == MAP_FAILED) return errno;
  at = mapped;
  end = at + SEGMENT;
  file_bytes += SEGMENT;
  return 0;
}

static int open_table(void) {
  hkw_table_descriptor = hkw_make_file("hkf", O_RDWR);
  if (hkw_table_descriptor < 0) return errno;
  int error = add_segment();
  if (error) return error;
  hkw_table = (hakaru_watch_header*)at;
  hakaru_watch_header header;
  hkw_fill_header(&header, HAKARU_WATCH_FILES);
  header.period_ns = 0;
  at += sizeof header;
  memcpy(hkw_table, &header, sizeof header);
  return 0;
}

static int grow(uint64_t bytes) {
  if (!hkw_table) return open_table();
  if ((uint64_t)(end - at) >= bytes) return 0;
  if (at < end) hkw_publish(at, HAKARU_WATCH_SKIP, (uint64_t)(end - at));
  return add_segment();
}

void* hkw_add(uint64_t bytes) {
  if (unusable || bytes > SEGMENT / 2) return NULL;
  if (HKW_UNLIKELY(!hkw_table || (uint64_t)(end - at) < bytes)) {
    int error = grow(bytes);
    if (error) give_up(error);
  }
  if (unusable) {
    if (hkw_table) hkw_table->lost_records++;
    return NULL;
  }
  void* record = at;
  at += bytes;
  return record;
}

void hkw_publish(void* record, uint32_t kind, uint64_t bytes) {
  __atomic_store_n((uint32_t*)record, hkw_head(kind, bytes), __ATOMIC_RELEASE);
}

void hkw_end_table(void) {
  if (!hkw_table) return;
  const uint64_t bytes = file_bytes - (uint64_t)(end - at);
  hkw_table->rank = hkw.rank;
  hkw_table->world_size = hkw.world_size;
  hkw_table->end_ns = hkw_now(CLOCK_REALTIME);
  hkw_table->records_end = bytes;
  __atomic_store_n(&hkw_table->status, HAKARU_WATCH_ENDED, __ATOMIC_RELEASE);
  if (syscall(SYS_ftruncate, hkw_table_descriptor, (off_t)HKW_ROUND_UP(bytes, 4096u)) != 0) return;
}

/* The parent goes on writing its own. What was mapped stays mapped: it may be pointed to. */
void hkw_table_after_fork(void) {
  if (hkw_table_descriptor >= 0) syscall(SYS_close, hkw_table_descriptor);
  hkw_table_descriptor = -1;
  hkw_table = NULL;
  at = end = NULL;
  file_bytes = 0;
  unusable = 0;
  pthread_mutex_init(&lock, NULL);
  locked = 0;
}
