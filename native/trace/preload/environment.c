/* Wrappers written by hand: where recording begins, ends and pauses. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../parallel/remote_operation.h"
#include "../watch/watch.h"
#include "post.h"
#include "real.h"

#define EXPORT __attribute__((visibility("default")))
#define AS_PMPI(name) __attribute__((visibility("default"), alias(name)))

static hakaru_raw_calibration start;
static uint64_t start_realtime_ns;
static pid_t owner;
static int finalizing;

static void in_child(void) {
  hk.active = 0;
  hk_inside = 1;
}

__attribute__((constructor)) static void on_load(void) { hk_resolve(); }

/* exit() without MPI_Finalize; a forked child must not touch the file. */
__attribute__((destructor)) static void on_exit_of_process(void) {
  if (hk.active && owner == getpid()) hk_close_file(HAKARU_RAW_EXITED, 0);
}

/* Runs no destructors. A process that was forked or vforked ends like this and must not touch the
 * file. */
EXPORT __attribute__((noreturn)) void _exit(int status) {
  hkw_end_process();
  if (hk.active && owner == getpid()) hk_end_file(HAKARU_RAW_EXITED, status);
  for (;;) syscall(SYS_exit_group, status);
}
EXPORT __attribute__((noreturn, alias("_exit"))) void _Exit(int status);

static void write_made(uint32_t id, uint64_t enter, const hk_communicator* made) {
  hk_call call = {.id = id, .enter = enter};
  hk_leave(&call, MPI_SUCCESS);
  hk_open(&call, made ? 1 : 0);
  if (made) hk_item(&call, HAKARU_ITEM_COMMUNICATOR_MADE, 0, made->id, 0);
  hk_close(&call);
}

static void write_plain(uint32_t id, uint64_t enter) { write_made(id, enter, NULL); }

#define TIMED_CALLS 1024
#define TIMED_BATCHES 8

static int nothing(void) { return MPI_SUCCESS; }
static int (*volatile do_nothing)(void) = nothing;

/* As the generated wrappers are. */
__attribute__((noinline)) static void wrapped_nothing(hk_call* call) {
  if (!hk_enter(call, HK_ID_MPI_Pcontrol)) return;
  int outcome = do_nothing();
  hk_leave(call, outcome);
  hk_open(call, 0);
  hk_close(call);
}

/* Ticks of the call that does nothing, without a wrapper. */
static double call_alone(void) {
  uint64_t begin = hk_ticks_done();
  for (int i = 0; i < TIMED_CALLS; i++) hk_all_done();
  uint64_t middle = hk_ticks_done();
  for (int i = 0; i < TIMED_CALLS; i++) {
    do_nothing();
    hk_all_done();
  }
  uint64_t end = hk_ticks_done();
  double alone = (double)(end - middle) - (double)(middle - begin);
  return alone > 0 ? alone / TIMED_CALLS : 0;
}

/* Ticks between two calls that follow each other at once, without what hk_sample_cost finds, and
 * inside of one. */
typedef struct {
  double between, inside;
} wrapper_time;

static wrapper_time time_batch(hakaru_raw_counter* counter) {
  hk_call call;
  uint64_t between = 0, inside = 0, left = 0;
  const double alone = call_alone();
  memset(counter, 0, sizeof *counter);
  for (int i = 0; i < TIMED_CALLS; i++) {
    wrapped_nothing(&call);
    if (i > 0) between += call.enter - left;
    left = call.leave;
    inside += left - call.enter;
  }
  wrapper_time time = {(double)between / (TIMED_CALLS - 1) -
                           (double)counter->cost_ticks / (double)counter->cost_samples,
                       (double)inside / TIMED_CALLS - alone};
  return time;
}

/* The least of several batches; their records are taken back. */
static void time_wrapper(void) {
  hakaru_raw_counter* counter = &hk.counters[HK_ID_MPI_Pcontrol];
  const hakaru_raw_counter kept = *counter;
  const uint64_t records = hk.header->records;
  uint64_t* const begin = hk.cursor;
  wrapper_time least = {1e9, 1e9};
  if (hk.limit - begin < 4 * TIMED_CALLS) return; /* nothing is written: hk.lost */
  for (int batch = 0; batch < TIMED_BATCHES; batch++) {
    wrapper_time time = time_batch(counter);
    memset(begin, 0, (size_t)((char*)hk.cursor - (char*)begin));
    hk.cursor = begin;
    if (time.between < least.between) least.between = time.between;
    if (time.inside < least.inside) least.inside = time.inside;
  }
  *counter = kept;
  hk.header->records = records;
  hk.header->wrapper_ticks = least.between > 0 ? (uint32_t)least.between : 0;
  hk.header->inside_ticks = least.inside > 0 ? (uint64_t)least.inside : 0;
}

static void before_init(void) {
  struct timespec now;
  hk_inside = 1;
  hk_choose_clock();
  start = hk_calibrate();
  clock_gettime(CLOCK_REALTIME, &now);
  start_realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  hk_inside = 0;
}

static void after_init(uint32_t id, uint64_t enter) {
  const char* folder = getenv("HAKARU_TRACE_FOLDER");
  const char* per_peer = getenv("HAKARU_TRACE_PER_PEER");
  const char* calls = getenv("HAKARU_TRACE_CALLS");
  int rank = 0, size = 0, level = 0;
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Query_thread(&level);
  PMPI_Comm_get_parent(&parent);
  owner = getpid();
  hk.per_peer = !per_peer || strcmp(per_peer, "0") != 0;
  hk.ends = calls && strcmp(calls, "0") == 0;
  hk.multiple = level == MPI_THREAD_MULTIPLE;
  hk.many_threads = level == MPI_THREAD_MULTIPLE || level == MPI_THREAD_SERIALIZED;
  hk_inside = 1;
  hk.world_id = parent == MPI_COMM_NULL ? 0 : hk_spawned_by();
  hkw_tell_world(rank, size, hk.world_id);
  if (folder && *folder) hk_open_file(folder, rank, size, level, parent != MPI_COMM_NULL);
  if (hk.counters) {
    pthread_atfork(NULL, NULL, in_child);
    hk.header->start = start;
    hk.header->start_realtime_ns = start_realtime_ns;
    hk.header->last = hk_calibrate();
    hk_add_world();
  }
  hk_synchronise(0);
  if (hk.counters) {
    hk_communicator* spawned = hk.world_id ? hk_add_joined(parent, NULL, hk.world_id, 1) : NULL;
    hk.active = 1;
    hk_inside = 0;
    /* until hk_begin_delays and hk_begin_sensing */
    hk.long_call = hk.look_after = hk.sense_after = UINT64_MAX;
    time_wrapper();
    hk_inside = 1;
    hk_begin_sensing();
    hk_begin_pages();
    hk_begin_looks();
    hk_begin_delays();
    write_made(id, enter, spawned);
    hk.active = !hk.ends;
  }
  hk_inside = 0;
}

EXPORT int MPI_Init(int* argc, char*** argv) {
  if (hk_inside) return hk_real.MPI_Init(argc, argv);
  before_init();
  hk_inside = 1;
  uint64_t enter = hk_ticks();
  int result = hk_real.MPI_Init(argc, argv);
  hk_inside = 0;
  if (result == MPI_SUCCESS) after_init(HK_ID_MPI_Init, enter);
  return result;
}
AS_PMPI("MPI_Init") int PMPI_Init(int* argc, char*** argv);

EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (hk_inside) return hk_real.MPI_Init_thread(argc, argv, required, provided);
  before_init();
  hk_inside = 1;
  uint64_t enter = hk_ticks();
  int result = hk_real.MPI_Init_thread(argc, argv, required, provided);
  hk_inside = 0;
  if (result == MPI_SUCCESS) after_init(HK_ID_MPI_Init_thread, enter);
  return result;
}
AS_PMPI("MPI_Init_thread")
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided);

EXPORT int MPI_Finalize(void) {
  if (hk_inside || finalizing) return hk_real.MPI_Finalize();
  finalizing = 1;
  if (hk.ends && hk.counters && owner == getpid()) hk.active = 1;
  hk_call call;
  int recorded = hk_enter(&call, HK_ID_MPI_Finalize);
  hk_inside = 1;
  if (recorded) hk_look_at_memory();
  hk_synchronise(1);
  hk_end_synchronisation();
  int result = hk_real.MPI_Finalize();
  if (recorded) {
    write_plain(HK_ID_MPI_Finalize, call.enter);
    hk_close_file(HAKARU_RAW_FINALIZED, 0);
  }
  hk_inside = 0;
  return result;
}
AS_PMPI("MPI_Finalize") int PMPI_Finalize(void);

EXPORT int MPI_Abort(MPI_Comm comm, int code) {
  hk_call call;
  if (hk_enter(&call, HK_ID_MPI_Abort)) {
    write_plain(HK_ID_MPI_Abort, call.enter);
    hk_end_file(HAKARU_RAW_ABORTED, code);
  }
  hkw_end_process();
  hk_inside = 1;
  return hk_real.MPI_Abort(comm, code);
}
AS_PMPI("MPI_Abort") int PMPI_Abort(MPI_Comm comm, int code);

/* ---------------------------------------------------------------- MPI_Pcontrol */

#define LONGEST_NAME 256

/* Where the kernel began the heap that malloc grows by brk (proc(5): field 47 of stat);
 * UINTPTR_MAX: not known. */
static uintptr_t find_heap(void) {
  char text[1024];
  unsigned long long begin = 0;
  int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  text[got > 0 ? got : 0] = 0;
  const char* at = strrchr(text, ')'); /* ends field 2 */
  for (int field = 2; at && field < 47; field++) at = strchr(at + 1, ' ');
  return at && sscanf(at, "%llu", &begin) == 1 && begin ? (uintptr_t)begin : UINTPTR_MAX;
}

/* What lies there can be read without asking the kernel. */
static int in_heap(const char* at) {
  static uintptr_t begin;
  if (!begin) begin = find_heap();
  return (uintptr_t)at >= begin && (uintptr_t)at + LONGEST_NAME <= (uintptr_t)sbrk(0);
}

static int is_name(const char* text, size_t bytes) {
  const char* end = memchr(text, 0, bytes);
  if (!end || end == text) return 0;
  for (const char* c = text; c < end; c++)
    if ((unsigned char)*c < 32 || *c == 127) return 0;
  return 1;
}

/* Callers of the standard form pass no name, and Fortran cannot: then the argument is whatever the
 * register held. It counts as a name only when it points to readable memory that holds printable
 * text; the kernel reads it, so that a wild pointer does no harm. NULL: no name. */
static const char* read_name(const char* at, char* copy) {
  static int memory = -1;
  if (memory < 0) memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  ssize_t got = memory < 0 ? -1 : pread(memory, copy, LONGEST_NAME, (off_t)(uintptr_t)at);
  return got > 0 && is_name(copy, (size_t)got) ? copy : NULL;
}

typedef struct {
  const char* at; /* where it was told first */
  int literal;    /* of a loaded program or library */
  char* name;
  uint32_t id;
} known_name;
static known_name known[256];
static int known_count;

static int holds(struct dl_phdr_info* info, size_t size, void* address) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        (uintptr_t)address - begin < info->dlpi_phdr[i].p_filesz)
      return 1;
  }
  return 0;
}

static void remember(const char* at, const char* name, uint32_t id) {
  if (known_count == (int)(sizeof known / sizeof *known)) return;
  int literal = dl_iterate_phdr(holds, (void*)(uintptr_t)at);
  known[known_count++] = (known_name){at, literal, strdup(name), id};
}

/* The string's id, or 0 when there is no name. Literals come again by address: they need no checked
 * reading. */
static uint32_t phase_id(const char* at) {
  char copy[LONGEST_NAME];
  if (!at) return 0;
  const int heap = in_heap(at);
  for (int i = 0; i < known_count; i++)
    if (known[i].at == at && (heap || known[i].literal) && strcmp(known[i].name, at) == 0)
      return known[i].id;
  const char* name = !heap ? read_name(at, copy) : is_name(at, LONGEST_NAME) ? at : NULL;
  if (!name) return 0;
  for (int i = 0; i < known_count; i++)
    if (strcmp(known[i].name, name) == 0) return known[i].id;
  uint32_t id = hk_string(name);
  remember(at, name, id);
  return id;
}

static void write_control(hk_call* call, uint32_t kind, uint32_t string) {
  hk_open(call, 1);
  if (kind) hk_item(call, kind, 0, 0, string);
  hk_close(call);
}

static void control(hk_call* call, int level, const char* argument) {
  uint32_t phase = level == 1 || level == -1 ? phase_id(argument) : 0;
  if (phase) hkw_tell_phase(phase, argument, level > 0);
  if (phase)
    return write_control(call, level > 0 ? HAKARU_ITEM_PHASE_BEGIN : HAKARU_ITEM_PHASE_END, phase);
  if (level == 0 && !hk.off) {
    write_control(call, HAKARU_ITEM_RECORDING_OFF, 0);
    hkw_tell_pause(1);
    if (hk.multiple) pthread_mutex_lock(&hk_lock);
    hk_record_off();
    if (hk.multiple) pthread_mutex_unlock(&hk_lock);
    return;
  }
  int on = (level == 1 || level == 2) && hk.off;
  if (on) hk_record_on(), hkw_tell_pause(0);
  write_control(call, on ? HAKARU_ITEM_RECORDING_ON : 0, 0);
}

int hkw_tell_region_to_tracer(const char* name, int begin) {
  hk_call call;
  if (!hk_enter(&call, HK_ID_MPI_Pcontrol)) return 0;
  hk_leave(&call, MPI_SUCCESS);
  control(&call, begin ? 1 : -1, name);
  return 1;
}

/* PUT and GET of native/parallel: one record from the outermost begin to its end; the calls of MPI
 * between them are how it is done. */
static __thread int remote_depth, remote_told;
static __thread hk_call remote_call;

static void remote_begin(void) {
  if (remote_depth++ == 0) remote_told = hk_enter(&remote_call, HK_ID_MPI_Pcontrol);
}

static void write_remote(hk_call* call, const hakaru_remote_operation* o) {
  hk_communicator* c = hk_communicator_of(o->group);
  uint32_t window = hk_remote_window(c);
  hk_open(call, 5);
  if (o->kind == HAKARU_REMOTE_SEND || o->kind == HAKARU_REMOTE_RECEIVE) {
    int send = o->kind == HAKARU_REMOTE_SEND;
    *(send ? &call->sent : &call->received) += (uint64_t)o->bytes;
    hk_message(call, send ? HAKARU_ITEM_SEND : HAKARU_ITEM_RECV, 0, c->id, 0, o->peer,
               o->received_flag, (hk_data){(uint64_t)o->bytes, 0});
  } else if (o->kind == HAKARU_REMOTE_ACKNOWLEDGE) {
    hk_item(call, HAKARU_ITEM_RMA_SYNC, 0, window, HAKARU_SYNC_FLUSH_ALL);
    *call->at++ = hk_pair((uint32_t)-1, 0);
  } else {
    if (o->kind == HAKARU_REMOTE_PUT) call->sent += (uint64_t)o->bytes;
    if (o->kind == HAKARU_REMOTE_GET) call->received += (uint64_t)o->bytes;
    hk_item(call, HAKARU_ITEM_REMOTE, 0, window, (uint32_t)o->kind);
    *call->at++ = hk_pair((uint32_t)o->peer, (uint32_t)o->received_flag);
    *call->at++ = hk_pair((uint32_t)o->sent_flag, 0);
    *call->at++ = (uint64_t)o->bytes;
    *call->at++ = (uint64_t)o->items;
  }
  hk_close(call);
}

static void remote_end(const hakaru_remote_operation* operation) {
  if (remote_depth == 0 || --remote_depth > 0 || !remote_told) return;
  remote_told = 0;
  hk_leave(&remote_call, MPI_SUCCESS);
  write_remote(&remote_call, operation);
}

/* MPI_Pcontrol(1, "name") begins and MPI_Pcontrol(-1, "name") ends a phase; without a name 0 stops
 * recording, 1 and 2 go on. */
EXPORT int MPI_Pcontrol(const int level, ...) {
  va_list arguments;
  va_start(arguments, level);
  const char* argument = va_arg(arguments, const char*);
  va_end(arguments);
  if (level == HAKARU_REMOTE_BEGIN || level == HAKARU_REMOTE_END) {
    if (level == HAKARU_REMOTE_BEGIN)
      remote_begin();
    else
      remote_end((const void*)argument);
    return MPI_SUCCESS;
  }
  hk_call call;
  if (!hk_enter(&call, HK_ID_MPI_Pcontrol)) return MPI_SUCCESS;
  hk_leave(&call, MPI_SUCCESS);
  control(&call, level, argument);
  return MPI_SUCCESS;
}
AS_PMPI("MPI_Pcontrol") int PMPI_Pcontrol(const int level, ...);
