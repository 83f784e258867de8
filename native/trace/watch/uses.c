/* Files, openings, sums and runs of one process. */
#define _GNU_SOURCE
#include "uses.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct {
  dev_t device;
  ino_t node;
  uint32_t type, openings, generation, number;
  hakaru_watch_file* record; /* of this generation; NULL: no room */
  char* path;
} file;

#define SUMS (1u << 15)
typedef struct {
  uint64_t key;
  hakaru_watch_row* row;
} sum;

static hkw_use uses[HKW_USES_MOST];
static hkw_use by_name; /* calls that belong to no open file */
static file files[HAKARU_FILES_MOST + 2];
static sum sums[SUMS];
static uint32_t file_count, sums_used, numbers, openings, phases_told[HKW_PHASES_MOST / 32 + 1],
    worlds_told;
static uint32_t generation = 1; /* of the process: a fork's child begins anew */
static char *arena, *arena_end;

#ifdef HAKARU_TRACE_WITH_MPI
extern __thread int hk_inside __attribute__((tls_model("initial-exec")));
extern __thread int hk_inside_file __attribute__((tls_model("initial-exec")));
static int forked;
int hkw_below_mpi(int* opens) {
  if (opens) *opens = hk_inside_file;
  return hk_inside && !forked;
}
#else
static int forked;
int hkw_below_mpi(int* opens) { return opens ? *opens = 0 : 0; }
#endif

static char* kept(const char* text) {
  const size_t bytes = strlen(text) + 1;
  if ((size_t)(arena_end - arena) < bytes) {
    void* more = (void*)syscall(SYS_mmap, NULL, (size_t)1 << 20, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, (off_t)0);
    if (more == MAP_FAILED) return "";
    arena = more;
    arena_end = arena + (1 << 20);
  }
  char* copy = memcpy(arena, text, bytes);
  arena += bytes;
  return copy;
}

/* ---------------------------------------------------------------- records. Called under the lock
 */

static void tell_text(uint32_t kind, uint32_t number, const char* text) {
  const uint32_t length = (uint32_t)strnlen(text, PATH_MAX);
  const uint64_t bytes = sizeof(hakaru_watch_text) + HKW_ROUND_UP(length + 1u, 8u);
  hakaru_watch_text* record = hkw_add(bytes);
  if (!record) return;
  record->number = number;
  record->length = length;
  memcpy(record + 1, text, length);
  hkw_publish(record, kind, bytes);
}

static void tell_file(file* f, uint64_t bytes) {
  const uint32_t length = (uint32_t)strnlen(f->path, PATH_MAX);
  const uint64_t size = sizeof(hakaru_watch_file) + HKW_ROUND_UP(length + 1u, 8u);
  hakaru_watch_file* record = hkw_add(size);
  f->generation = generation;
  f->record = record;
  f->openings = 0;
  f->number = numbers++;
  if (!record) return;
  record->number = f->number;
  record->type = f->type;
  record->device = (uint64_t)f->device;
  record->node = (uint64_t)f->node;
  record->path_length = length;
  record->first_ns = hkw_now(CLOCK_REALTIME);
  record->first_bytes = record->last_bytes = bytes;
  memcpy(record + 1, f->path, length);
  hkw_publish(record, HAKARU_WATCH_FILE, size);
}

static void tell_world(void) {
  hakaru_watch_world* record = hkw_add(sizeof *record);
  worlds_told = hkw.worlds;
  if (!record) return;
  record->rank = hkw.rank;
  record->size = hkw.world_size;
  record->world_id = hkw.world_id;
  hkw_publish(record, HAKARU_WATCH_WORLD, sizeof *record);
}

/* Numbers of files count from 1 in each generation; the first record of all is that of no file. */
static file* current(uint32_t place, uint64_t bytes) {
  file* f = &files[place - 1];
  if (worlds_told != hkw.worlds) tell_world();
  if (f->generation != generation) tell_file(f, bytes);
  return f;
}

/* Under the lock: whether nobody closed it meanwhile. */
static int lock_open(const hkw_use* use) {
  if (!hkw_lock()) return 0;
  if (use->file) return 1;
  hkw_unlock();
  return 0;
}

/* Another thread may close it at any time. */
static uint32_t type_of(const hkw_use* use) {
  const uint32_t place = __atomic_load_n(&use->file, __ATOMIC_RELAXED);
  return place ? files[place - 1].type : HAKARU_FILE_TYPE_NONE;
}

static uint32_t find_file(uint32_t type, dev_t device, ino_t node, const char* path) {
  for (uint32_t i = file_count; i-- > 0;)
    if (files[i].type == type && files[i].device == device && files[i].node == node &&
        strcmp(files[i].path, path) == 0)
      return i + 1;
  if (file_count >= HAKARU_FILES_MOST && type != HAKARU_FILE_MANY)
    return find_file(HAKARU_FILE_MANY, 0, 0, "(more files)");
  files[file_count] = (file){device, node, type, 0, 0, 0, NULL, kept(path)};
  return ++file_count;
}

static hakaru_watch_row* row_of(hkw_use* use, uint32_t layer, uint32_t operation, uint32_t phase) {
  const file* f = current(use->file, 0);
  const uint64_t key = ((uint64_t)(f->number + 1) << 32 | (uint64_t)generation << 56) ^
                       (phase << 8 | layer << 6 | operation);
  for (uint64_t i = key * 0x9E3779B97F4A7C15u >> 49;; i = (i + 1) % SUMS) {
    if (sums[i].key == key) return sums[i].row;
    if (sums[i].key != 0) continue;
    if (sums_used >= SUMS / 4 * 3) return NULL;
    hakaru_watch_row* row = hkw_add(sizeof *row);
    if (!row) return NULL;
    row->file = f->number;
    row->phase = phase;
    row->layer = (uint16_t)layer;
    row->operation = (uint16_t)operation;
    hkw_publish(row, HAKARU_WATCH_ROW, sizeof *row);
    sums[i] = (sum){key, row};
    sums_used++;
    return row;
  }
}

static hakaru_watch_row* new_row(hkw_use* use, uint32_t layer, uint32_t operation, uint32_t phase) {
  if (!lock_open(use)) return NULL;
  if (use->generation != generation || use->phase != phase) {
    if (use->generation != generation) use->opening = NULL, use->run = use->before = NULL;
    memset(use->rows, 0, sizeof use->rows);
    use->generation = generation;
    use->phase = phase;
  }
  if (phase && !(phases_told[phase / 32] & 1u << phase % 32)) {
    tell_text(HAKARU_WATCH_PHASE, phase, hkw_phase_name(phase));
    phases_told[phase / 32] |= 1u << phase % 32;
  }
  hakaru_watch_row* row = row_of(use, layer, operation, phase);
  use->rows[layer][operation] = row;
  hkw_unlock();
  return row;
}

/* ---------------------------------------------------------------- sums */

hkw_use* hkw_use_of(int descriptor) {
  if (!hkw.files || descriptor < 0 || descriptor >= HKW_USES_MOST) return NULL;
  hkw_use* use = &uses[descriptor];
  if (HKW_UNLIKELY(!use->file && descriptor < 3)) hkw_opened(descriptor, NULL, HKW_WRITES);
  return use->file ? use : NULL;
}

void hkw_count(hkw_use* use, uint32_t layer, uint32_t operation, int failed, uint64_t bytes,
               uint64_t time) {
  const int saved = errno;
  const uint32_t phase = __atomic_load_n(&hkw.phase, __ATOMIC_ACQUIRE);
  if (operation != HAKARU_WATCH_READ && operation != HAKARU_WATCH_WRITE &&
      type_of(use) == HAKARU_FILE_STREAM)
    return;
  hakaru_watch_row* row = use->rows[layer][operation];
  if (HKW_UNLIKELY(!row || use->generation != generation || use->phase != phase))
    row = new_row(use, layer, operation, phase);
  if (row) {
    if (time || !bytes) __atomic_fetch_add(&row->calls, 1, __ATOMIC_RELAXED);
    if (failed) __atomic_fetch_add(&row->failed, 1, __ATOMIC_RELAXED);
    if (bytes) __atomic_fetch_add(&row->bytes, bytes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&row->time, time, __ATOMIC_RELAXED);
  }
  errno = saved;
}

void hkw_count_name(uint32_t operation, int failed, uint64_t time) {
  if (!hkw.files || hkw_below_mpi(NULL)) return;
  if (!by_name.file) {
    if (!hkw_lock()) return;
    by_name.file = find_file(HAKARU_FILE_TYPE_NONE, 0, 0, "");
    hkw_unlock();
  }
  hkw_count(&by_name, HAKARU_LAYER_POSIX, operation, failed, 0, time);
}

/* ---------------------------------------------------------------- opening and closing */

static int is_system(const char* path) {
  return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0 ||
         strncmp(path, "/dev/", 5) == 0;
}

void hkw_begin_use(hkw_use* use, const char* path, const struct stat* about, uint32_t flags) {
  const int regular = S_ISREG(about->st_mode);
  if (!hkw_lock()) return;
  uint32_t place;
  if (is_system(path))
    place = find_file(HAKARU_FILE_SYSTEM, 0, 0, "(/proc, /sys, /dev)");
  else if (regular)
    place = find_file(HAKARU_FILE_REGULAR, about->st_dev, about->st_ino, path);
  else
    place = find_file(HAKARU_FILE_OTHER, 0, 0, path);
  memset(use, 0, sizeof *use);
  use->file = place;
  use->flags = flags;
  use->open_ns = hkw_now(CLOCK_REALTIME);
  use->generation = generation;
  use->phase = UINT32_MAX;
  current(place, (uint64_t)about->st_size);
  hkw_unlock();
  if (regular && flags & HKW_TRUNCATES) hkw_sized(use, 0, use->open_ns);
}

static void begin_stream(hkw_use* use, int descriptor) {
  static const char* const names[] = {"(standard input)", "(standard output)", "(standard error)"};
  if (!hkw_lock()) return;
  memset(use, 0, sizeof *use);
  use->file = find_file(HAKARU_FILE_STREAM, 0, 0, names[descriptor]);
  use->phase = UINT32_MAX;
  use->generation = generation;
  hkw_unlock();
}

void hkw_opened(int descriptor, FILE* stream, uint32_t flags) {
  const int saved = errno;
  struct stat about;
  char link[32] = "/proc/self/fd/", path[PATH_MAX];
  int opens;
  if (!hkw.files || descriptor < 0 || descriptor >= HKW_USES_MOST || getpid() != hkw.process)
    return;
  uses[descriptor].file = 0;
  if (hkw_below_mpi(&opens) && !opens) return;
  const int standard = !stream && descriptor < 3;
  snprintf(link + 14, sizeof link - 14, "%d", descriptor);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  if (length > 0 && syscall(SYS_newfstatat, descriptor, "", &about, AT_EMPTY_PATH) == 0 &&
      !S_ISDIR(about.st_mode) && (!standard || S_ISREG(about.st_mode))) {
    hkw_begin_use(&uses[descriptor], path, &about, flags);
    uses[descriptor].stream = stream;
    uses[descriptor].placed = stream && !(flags & HKW_APPENDS);
  } else if (standard) {
    begin_stream(&uses[descriptor], descriptor);
  }
  errno = saved;
}

void hkw_duplicated(int from, int to) {
  const hkw_use* use = from == to ? NULL : hkw_use_of(from);
  if (!hkw.files || from == to || to < 0 || to >= HKW_USES_MOST || getpid() != hkw.process) return;
  if (!use) {
    uses[to].file = 0;
    return;
  }
  uses[to] = *use;
  uses[to].stream = NULL;
  uses[to].run = uses[to].before = NULL;
}

void hkw_end_use(hkw_use* use, uint64_t bytes) {
  if (!lock_open(use)) return;
  if (type_of(use) == HAKARU_FILE_STREAM) {
    use->file = 0;
    hkw_unlock();
    return;
  }
  const file* f = current(use->file, bytes);
  if (f->record) f->record->last_bytes = bytes;
  if (use->opening && use->generation == generation)
    use->opening->close_ns = hkw_now(CLOCK_REALTIME);
  use->file = 0;
  hkw_unlock();
}

uint64_t hkw_bytes_now(const hkw_use* use) {
  struct stat about;
  const long error = syscall(SYS_newfstatat, AT_FDCWD, files[use->file - 1].path, &about, 0);
  return error == 0 ? (uint64_t)about.st_size : 0;
}

void hkw_closing(int descriptor) {
  const int saved = errno;
  struct stat about;
  if (descriptor < 0 || descriptor >= HKW_USES_MOST || !uses[descriptor].file ||
      getpid() != hkw.process)
    return;
  memset(&about, 0, sizeof about);
  syscall(SYS_newfstatat, descriptor, "", &about, AT_EMPTY_PATH);
  hkw_end_use(&uses[descriptor], (uint64_t)about.st_size);
  errno = saved;
}

int hkw_is_regular(const hkw_use* use) { return type_of(use) == HAKARU_FILE_REGULAR; }

void hkw_doubt(hkw_use* use, uint32_t why) {
  if (!lock_open(use)) return;
  const file* f = current(use->file, 0);
  if (f->record) f->record->flags |= why;
  hkw_unlock();
}

static void tell_change(uint32_t number, uint32_t change, uint64_t value, uint64_t time_ns) {
  hakaru_watch_change* record = hkw_add(sizeof *record);
  if (!record) return;
  record->file = number;
  record->change = change;
  record->time_ns = time_ns;
  record->value = value;
  hkw_publish(record, HAKARU_WATCH_CHANGE, sizeof *record);
}

void hkw_sized(hkw_use* use, uint64_t bytes, uint64_t time_ns) {
  if (!hkw_is_regular(use) || !lock_open(use)) return;
  tell_change(current(use->file, bytes)->number, HAKARU_CHANGE_SIZE, bytes, time_ns);
  use->run = use->before = NULL;
  hkw_unlock();
}

void hkw_renamed(const struct stat* about, const char* path) {
  if (!hkw.files || !hkw_lock()) return;
  for (uint32_t i = 0; i < file_count; i++) {
    if (files[i].type != HAKARU_FILE_REGULAR || files[i].node != about->st_ino ||
        files[i].device != about->st_dev || files[i].generation != generation)
      continue;
    if (path)
      tell_text(HAKARU_WATCH_NAME, files[i].number, path);
    else
      tell_change(files[i].number, HAKARU_CHANGE_UNLINK, 0, hkw_now(CLOCK_REALTIME));
  }
  hkw_unlock();
}

/* ---------------------------------------------------------------- runs */

static hakaru_watch_opening* begin_opening(hkw_use* use, file* f) {
  if (f->openings >= HAKARU_OPENINGS_MOST) return NULL;
  hakaru_watch_opening* record = hkw_add(sizeof *record);
  if (!record) return NULL;
  f->openings++;
  record->number = ++openings;
  record->file = f->number;
  record->open_ns = use->open_ns;
  hkw_publish(record, HAKARU_WATCH_OPENING, sizeof *record);
  return record;
}

/* The one before the last run takes it up: the same place again, or the next of a stride. */
static int joined(hakaru_watch_run* before, const hakaru_watch_run* run) {
  if (!before || before->layer != run->layer || before->length != run->length) return 0;
  if (before->count == 1 && run->begin == before->begin) {
    before->last_ns = run->last_ns;
    return 1;
  }
  if (before->count == 1 && run->begin > before->begin) before->stride = run->begin - before->begin;
  if (before->stride == 0 || run->begin != before->begin + before->count * before->stride) return 0;
  before->count++;
  before->last_ns = run->last_ns;
  return 1;
}

static void begin_run(hkw_use* use, uint32_t layer, uint64_t begin, uint64_t length, uint64_t now) {
  hakaru_watch_run* run = use->run;
  if (!run || !joined(use->before, run)) {
    use->before = run;
    run = hkw_add(sizeof *run);
  }
  use->run = run;
  if (!run) return;
  run->count = 0; /* not there while it changes */
  __atomic_thread_fence(__ATOMIC_RELEASE);
  *run = (hakaru_watch_run){run->head, use->opening->number, layer, begin, length, 0, 0, now, now};
  __atomic_store_n(&run->count, 1, __ATOMIC_RELEASE);
  hkw_publish(run, HAKARU_WATCH_RUN, sizeof *run);
}

void hkw_wrote(hkw_use* use, uint32_t layer, uint64_t begin, uint64_t length) {
  const int saved = errno;
  if (length == 0 || !hkw_is_regular(use) || !lock_open(use)) return;
  file* f = current(use->file, 0);
  if (use->generation != generation) use->opening = NULL, use->run = use->before = NULL;
  use->generation = generation;
  if (!use->opening) use->opening = begin_opening(use, f);
  if (use->opening) {
    const uint64_t now = hkw_now(CLOCK_REALTIME);
    hakaru_watch_run* run = use->run;
    if (run && run->layer == layer && begin == run->begin + run->length) {
      run->length += length;
      run->last_ns = now;
    } else {
      begin_run(use, layer, begin, length, now);
    }
  }
  if ((!use->opening || !use->run) && f->record) f->record->flags |= HAKARU_PLACES_MANY;
  hkw_unlock();
  errno = saved;
}

/* ---------------------------------------------------------------- begin and end */

void hkw_end_files(void) {
  for (int i = 0; i < HKW_USES_MOST; i++)
    if (uses[i].file && uses[i].stream) hkw_settle(&uses[i]);
  hkw.files = 0;
  hkw_end_table();
}

void hkw_uses_after_fork(void) {
  forked = 1;
  generation++;
  numbers = openings = worlds_told = 0;
  if (sums_used) memset(sums, 0, sizeof sums);
  sums_used = 0;
  memset(phases_told, 0, sizeof phases_told);
}
