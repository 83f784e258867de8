/* Communicators, windows, files, probed messages and requests by their handles. Called under the
 * lock. */
#ifndef HAKARU_TRACE_OBJECTS_H
#define HAKARU_TRACE_OBJECTS_H

#include "tracer.h"

/* ---------------------------------------------------------------- map: handle -> pointer */
typedef struct {
  uint64_t key;
  void* value; /* NULL: free slot */
} hk_slot;
typedef struct {
  hk_slot* slots;
  uint64_t capacity, used;
} hk_map;
void* hk_map_get(const hk_map* map, uint64_t key);
void hk_map_set(hk_map* map, uint64_t key, void* value);
void* hk_map_remove(hk_map* map, uint64_t key);

/* ---------------------------------------------------------------- communicators */
typedef struct {
  uint64_t key;
  uint64_t global_id;
  uint32_t id;
  uint32_t made; /* communicators, windows and files made from this one so far */
  int inter;
  int rank, size, remote_size;
  int sources, destinations; /* neighbours */
  int joined, side;          /* with ranks of several worlds that are all traced */
  uint32_t remote_window;    /* stands for its memories of PUT and GET; 0: none yet */
} hk_communicator;

extern hk_communicator* hk_last_communicator;
hk_communicator* hk_find_communicator(uint64_t key, MPI_Comm comm);
/* Defines a communicator. `parent` NULL: agreed on by its members alone. */
hk_communicator* hk_add_communicator(MPI_Comm comm, hk_communicator* parent, uint32_t sequence);
/* The inter-communicator of a spawn, known to both worlds by `global_id`; side 0 spawned side 1. */
hk_communicator* hk_add_joined(MPI_Comm comm, hk_communicator* parent, uint64_t global_id,
                               int side);
/* The global_id that the next spawn on this communicator will have. */
uint64_t hk_spawn_id(const hk_communicator* parent);
void hk_remove_communicator(hk_communicator* communicator);
void hk_add_world(void);
void hk_name_communicator(hk_communicator* communicator, const char* name);

static inline hk_communicator* hk_communicator_of(MPI_Comm comm) {
  hk_communicator* last = hk_last_communicator;
  if (HK_LIKELY(last->key == HK_KEY(comm))) return last;
  return hk_find_communicator(HK_KEY(comm), comm);
}

/* ---------------------------------------------------------------- windows and files */
typedef struct {
  uint32_t id;
  hk_communicator* communicator;
  struct hk_places* places; /* of a file whose bytes are watched; or NULL */
} hk_object;
hk_object* hk_add_window(MPI_Win window, uint32_t kind, hk_communicator* communicator,
                         uint64_t bytes, uint32_t displacement_unit);
hk_object* hk_window_of(MPI_Win window);
/* The id of the window that stands for a communicator's memories of PUT and GET. */
uint32_t hk_remote_window(hk_communicator* communicator);
void hk_remove_window(MPI_Win window);
hk_object* hk_add_file(MPI_File file, hk_communicator* communicator, const char* name, int mode);
hk_object* hk_file_of(MPI_File file);
void hk_remove_file(MPI_File file);

/* ---------------------------------------------------------------- messages of matched probes */
void hk_add_probed(MPI_Message message, uint32_t communicator, uint32_t flags);
/* Returns the communicator's id; removes it. */
uint32_t hk_take_probed(MPI_Message message, uint32_t* flags);

/* ---------------------------------------------------------------- requests */
enum hk_request_kind {
  HK_SEND = 1,
  HK_RECEIVE,
  HK_EXCHANGE,
  HK_COLLECTIVE,
  HK_RMA,
  HK_FILE,
  HK_OTHER
};

typedef struct hk_request {
  uint64_t key;
  struct hk_request *bucket_next, *same_next, *same_tail;
  uint32_t id, object;
  uint8_t kind, flags;
  uint8_t persistent, active, cancelled;
  int32_t peer, tag; /* as wanted; collective: root in peer */
  uint64_t bytes, bytes_received;
  uint32_t piece;   /* of the data's type, 0: no gaps */
  uint32_t call;    /* persistent collectives: the call that made it */
  uint64_t* counts; /* and its items of bytes by peer, of so many words; or NULL */
  uint64_t counts_words;
  MPI_Comm* new_communicator; /* MPI_Comm_idup */
  hk_communicator* parent;
  uint32_t sequence;
} hk_request;

/* A library may give several operations the same handle (those that were complete at once): they
 * queue up. */
hk_request* hk_add_request(uint64_t key, enum hk_request_kind kind, uint32_t object);
hk_request* hk_find_request(uint64_t key);
void hk_remove_request(hk_request* request); /* the oldest of its key */
uint32_t hk_next_request_id(void);

#endif
