/* What the wrappers share: the state of this process, and writing one record. The paths of every
 * call are inline. */
#ifndef HAKARU_TRACE_TRACER_H
#define HAKARU_TRACE_TRACER_H

#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "../raw.h"

#define HK_LIKELY(x) __builtin_expect(!!(x), 1)
#define HK_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Handles are pointers in some MPI libraries and integers in others. */
#define HK_KEY(handle) ((uint64_t)(uintptr_t)(handle))

typedef struct {
  int active; /* between the end of MPI_Init and the end of MPI_Finalize, in the process that called
                 them */
  uint64_t world_id; /* as in the raw file's header */
  int multiple;      /* MPI_THREAD_MULTIPLE: records are written under the lock */
  int many_threads;  /* more than one thread may call MPI */
  int off;           /* MPI_Pcontrol(0) */
  int lost;          /* the file cannot grow any more */
  int use_tsc;
  int per_peer; /* record the bytes for each peer of vector collectives */
  int ends;     /* only MPI_Init and MPI_Finalize are recorded */
  uint32_t last_thread;
  uint64_t* cursor; /* where the next record goes */
  uint64_t* limit;  /* of the mapped window, or of nothing: then hk_grow finds room */
  hakaru_raw_header* header;
  hakaru_raw_counter* counters;
  /* Ticks of a call, and between two, after which it is asked whether another had the processor;
   * when that was, and when the last call ended. */
  uint64_t long_call, look_after, looked, left;
  uint64_t sense_after; /* ticks between two calls after which caches are sensed */
} hk_state;

extern hk_state hk;
extern pthread_mutex_t hk_lock;
extern __thread int hk_inside __attribute__((tls_model("initial-exec")));
extern __thread uint32_t hk_thread __attribute__((tls_model("initial-exec"))); /* number + 1 */

#define HK_MOST_WORDS (1 << 20) /* a head has 20 bits for them */

/* One call on its way: lives on the wrapper's stack. */
typedef struct {
  uint32_t id;
  int success;
  uint64_t enter, leave;
  uint64_t *start, *at;
  uint64_t sent, received; /* bytes, for the counters */
  uint64_t growth;         /* ticks in which the file grew for it */
  uint64_t sensed;         /* ticks in which caches were sensed before it; 0: they were not */
  const void* from;        /* the memory that it sends; NULL: none, or what it sends is a copy */
} hk_call;

/* writer.c */
void hk_open_file(const char* folder, int rank, int world_size, int thread_level, int spawned);
void hk_end_file(uint32_t status, int code);
void hk_close_file(uint32_t status, int code);
uint64_t hk_grow(uint64_t words); /* how many ticks it took */
#define HK_FLUSH_WORDS (sizeof(hakaru_raw_flush) / sizeof(uint64_t))
/* That the tracer did something else since `begin`, which is not the program's computing; there is
 * room. How long it took. */
uint64_t hk_write_flush(uint64_t begin);
/* From now on hk_grow looks at memory from time to time. */
void hk_begin_looks(void);
void hk_shorten(hk_call* call);
void hk_meta(uint32_t kind, const void* words, uint64_t bytes, const void* more,
             uint64_t more_bytes);
uint32_t hk_string(const char* text);
void hk_switch_thread(void);
void hk_record_off(void);
void hk_record_on(void);
void hk_warn(const char* what, const char* why);
/* kernel.c */
/* How much memory the process has, if that is known; after it hk_look_at_memory tells the file what
 * the process uses more. */
int hk_first_look_at_memory(void);
void hk_look_at_memory(void);
/* From now on hk_delayed tells for how many ns another had the processor since it was last asked;
 * what the asking takes is recorded, if there is room. hk_pass_delays, after much time outside of
 * MPI: that is forgotten, if there may be any. Whether it asked. */
void hk_begin_delays(void);
uint64_t hk_delayed(hk_call* call);
int hk_pass_delays(uint64_t now);
/* caches.c */
/* From now on hk_sense tells how much the caches have lost since the last time; the call is entered
 * anew. */
void hk_begin_sensing(void);
void hk_sense(hk_call* call);
/* pages.c */
/* From now on hk_look_at_pages counts what long messages send from large pages. */
void hk_begin_pages(void);
void hk_look_at_pages(const void* from, uint64_t bytes);
/* clock.c */
void hk_choose_clock(void);
hakaru_raw_calibration hk_calibrate(void);
void hk_read_boot_id(char* text, size_t size);
void hk_synchronise(int which);
void hk_end_synchronisation(void);
/* generated */
extern const hakaru_raw_call hk_calls[];
extern const uint32_t hk_call_count;
void hk_resolve(void);

static inline uint64_t hk_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t hk_ticks(void) {
#if defined(__x86_64__)
  if (HK_LIKELY(hk.use_tsc)) return __rdtsc();
#endif
  return hk_monotonic_ns();
}

/* What follows begins when all before has been done, not only begun. */
static inline void hk_all_done(void) {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#endif
}

/* An operation of some ns would else end in what follows it, the program's computing in a call, or
 * a call in the tracer's own work. */
static inline uint64_t hk_ticks_done(void) {
  hk_all_done();
  return hk_ticks();
}

/* 0 when this call is not to be recorded: outside of Init and Finalize, or made by another MPI
 * call. */
static inline int hk_enter(hk_call* call, uint32_t id) {
  if (HK_UNLIKELY(!hk.active || hk_inside)) return 0;
  hk_inside = 1;
  call->id = id;
  call->sent = call->received = call->growth = call->sensed = 0;
  call->from = NULL;
  call->enter = hk_ticks_done();
  if (HK_UNLIKELY(call->enter - hk.left >= hk.sense_after)) hk_sense(call);
  if (HK_UNLIKELY(call->enter - hk.left >= hk.long_call && hk_pass_delays(call->enter)))
    call->enter = hk_ticks_done();
  if (HK_LIKELY(!hk.multiple)) {
    hk.header->open_ticks = call->enter;
    hk.header->open_call = id + 1;
  }
  hk_all_done();
  return 1;
}

/* After the real call: takes the time, and the lock that hk_close gives back. */
static inline void hk_leave(hk_call* call, int result) {
  hk.left = call->leave = hk_ticks_done();
  call->success = result == MPI_SUCCESS;
  if (HK_UNLIKELY(hk.many_threads)) {
    if (hk.multiple) pthread_mutex_lock(&hk_lock);
    if (hk_thread != hk.last_thread) hk_switch_thread();
  }
}

/* An item that is one number. */
static inline void hk_number(hk_call* call, uint32_t kind, uint64_t number) {
  call->at[0] = kind;
  call->at[1] = number;
  call->at += 2;
}

/* Room for a record with at most `words` words of items. No meta record may be written until
 * hk_close. */
static inline void hk_open(hk_call* call, uint64_t words) {
  uint64_t delayed = 0;
  if (HK_UNLIKELY(call->leave - call->enter >= hk.long_call)) delayed = hk_delayed(call);
  if (HK_UNLIKELY(hk.limit - hk.cursor < (ptrdiff_t)words + 8)) call->growth += hk_grow(words + 8);
  call->start = hk.cursor;
  call->at = hk.cursor + 2;
  if (HK_UNLIKELY(call->leave - call->enter >= HAKARU_RAW_LONG))
    hk_number(call, HAKARU_ITEM_LONG, call->leave);
  if (HK_UNLIKELY(delayed)) hk_number(call, HAKARU_ITEM_DELAYED, delayed);
  if (HK_UNLIKELY(call->sensed)) hk_number(call, HAKARU_ITEM_SENSED, call->sensed);
}

/* Of some calls, what the tracer did after them: it lies between calls and is no computing. */
static inline void hk_sample_cost(const hk_call* call, hakaru_raw_counter* counter) {
  uint64_t cost = hk_ticks_done() - call->leave - call->growth;
  if (counter->cost_samples == 0 || cost < counter->least_cost_ticks)
    counter->least_cost_ticks = cost;
  if (cost > HAKARU_RAW_COST_SPREAD * counter->least_cost_ticks) return;
  counter->cost_ticks += cost;
  counter->cost_samples++;
}

static inline void hk_close(hk_call* call) {
  uint64_t ticks = call->leave - call->enter;
  uint64_t duration = ticks >= HAKARU_RAW_LONG ? HAKARU_RAW_LONG : ticks;
  if (HK_UNLIKELY(call->at - call->start >= HK_MOST_WORDS)) hk_shorten(call);
  uint64_t head = call->id | ((uint64_t)(call->at - call->start) << 12);
  hakaru_raw_counter* counter = &hk.counters[call->id];
  call->start[1] = call->enter;
  /* The head last: a record is either complete or not there when the process is killed. */
  __atomic_store_n(call->start, head | (duration << 32), __ATOMIC_RELEASE);
  hk.cursor = call->at;
  counter->calls++;
  counter->bytes_sent += call->sent;
  counter->bytes_received += call->received;
  counter->ticks += ticks;
  hk.header->records++;
  if (HK_UNLIKELY(call->sent >= HAKARU_RAW_LONG_BYTES && call->from))
    hk_look_at_pages(call->from, call->sent);
  if (HK_UNLIKELY(counter->calls % HAKARU_RAW_COST_EACH == 0)) hk_sample_cost(call, counter);
  if (HK_LIKELY(!hk.multiple))
    hk.header->open_call = 0;
  else
    pthread_mutex_unlock(&hk_lock);
  hk_inside = 0;
}

static inline void hk_count_uncovered(uint32_t id) {
  if (HK_LIKELY(hk.active && !hk_inside))
    __atomic_fetch_add(&hk.counters[id].calls, 1, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- items */

static inline uint64_t hk_what(uint32_t kind, uint32_t flags, uint32_t object, uint32_t request) {
  return kind | (flags << 8) | ((uint64_t)object << 12) | ((uint64_t)request << 32);
}

static inline uint64_t hk_pair(uint32_t low, uint32_t high) { return low | ((uint64_t)high << 32); }

static inline void hk_item(hk_call* call, uint32_t kind, uint32_t flags, uint32_t object,
                           uint32_t request) {
  *call->at++ = hk_what(kind, flags, object, request);
}

static inline int32_t hk_peer(int rank) {
  if (rank == MPI_PROC_NULL) return HAKARU_RAW_NO_PEER;
  return rank == MPI_ANY_SOURCE ? HAKARU_RAW_ANY : rank;
}

static inline int32_t hk_tag(int tag) { return tag == MPI_ANY_TAG ? HAKARU_RAW_ANY : tag; }

static inline uint64_t hk_what_peer(int32_t peer, int32_t tag) {
  return hk_pair((uint32_t)peer, (uint32_t)tag);
}

/* True bytes of count elements. */
static inline uint64_t hk_bytes(int64_t count, MPI_Datatype type) {
  MPI_Count size = 0;
  if (count <= 0) return 0;
#if defined(MPICH_NUMVERSION)
  /* MPICH's handles of basic types hold the size: 0x4c, number of the kind, size, index. */
  if (((uint32_t)type & 0xffff0000u) == 0x4c000000u)
    return (uint64_t)count * (((uint32_t)type >> 8) & 0xffu);
#endif
  PMPI_Type_size_x(type, &size);
  return size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

/* ---------------------------------------------------------------- how data lie in memory */

/* Mean bytes of the pieces of an element that follow each other without gaps (datatypes.c);
 * `alone`: one element is one piece, and only several of them have gaps. piece 0: no gaps. */
typedef struct {
  uint64_t key;
  uint32_t piece, alone;
} hk_type;
#define HK_TYPES 16u /* the types used last, by their handles */
extern hk_type hk_types[HK_TYPES];
extern int hk_types_stale; /* one was freed: its handle may come again */
static inline hk_type* hk_place_of_type(uint64_t key) {
  return &hk_types[(key >> 4 ^ key >> 9) % HK_TYPES];
}
const hk_type* hk_add_type(MPI_Datatype type, uint64_t key);

/* Called under the lock. */
static inline uint32_t hk_piece(int64_t count, MPI_Datatype type) {
  uint64_t key = HK_KEY(type);
  const hk_type* known = hk_place_of_type(key);
  if (HK_UNLIKELY(known->key != key || hk_types_stale)) known = hk_add_type(type, key);
  return known->alone && count <= 1 ? 0 : known->piece;
}

typedef struct {
  uint64_t bytes;
  uint32_t piece;
} hk_data;
static inline hk_data hk_data_of(int64_t count, MPI_Datatype type) {
  hk_data data = {hk_bytes(count, type), hk_piece(count, type)};
  return data;
}

#define HK_MESSAGE_WORDS 4 /* with its pieces */
static inline void hk_message(hk_call* call, uint32_t kind, uint32_t flags, uint32_t object,
                              uint32_t request, int peer, int tag, hk_data data) {
  int32_t rank = hk_peer(peer);
  call->at[0] = hk_what(kind, flags, object, request);
  call->at[1] = hk_what_peer(rank, hk_tag(tag));
  call->at[2] = rank == HAKARU_RAW_NO_PEER ? 0 : data.bytes;
  call->at += 3;
  if (HK_UNLIKELY(data.piece && data.bytes && rank != HAKARU_RAW_NO_PEER))
    hk_item(call, HAKARU_ITEM_PIECES, 0, 0, data.piece);
}

/* Bytes that the operation of this status transferred. */
static inline uint64_t hk_status_bytes(const MPI_Status* status) {
#if defined(MPICH_NUMVERSION) /* bit 0 of the upper half says cancelled */
  return (uint32_t)status->count_lo |
         ((uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32);
#elif defined(OPEN_MPI)
  return status->_ucount;
#else
  MPI_Count count = 0;
  PMPI_Get_elements_x(status, MPI_BYTE, &count);
  return count > 0 ? (uint64_t)count : 0;
#endif
}

#endif
