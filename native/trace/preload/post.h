/* What a wrapper does after the real call, by class of call. Every function ends the record. */
#ifndef HAKARU_TRACE_POST_H
#define HAKARU_TRACE_POST_H

#include "objects.h"

static inline void hk_post_plain(hk_call* call) {
  hk_open(call, 0);
  hk_close(call);
}

/* ---------------------------------------------------------------- point to point */

static inline void hk_item_send(hk_call* call, uint32_t mode, hk_communicator* c, int peer, int tag,
                                hk_data data) {
  if (peer == MPI_PROC_NULL) data.bytes = 0;
  call->sent += data.bytes;
  hk_message(call, HAKARU_ITEM_SEND, mode, c->id, 0, peer, tag, data);
}

/* What was really received, by the status; `piece` of the buffer's type. */
static inline void hk_item_received(hk_call* call, uint32_t kind, uint32_t flags, uint32_t object,
                                    uint32_t request, const MPI_Status* status, uint32_t piece) {
  hk_data data = {status->MPI_SOURCE == MPI_PROC_NULL ? 0 : hk_status_bytes(status), piece};
  call->received += data.bytes;
  hk_message(call, kind, flags, object, request, status->MPI_SOURCE, status->MPI_TAG, data);
}

static inline uint32_t hk_wildcards(int source, int tag) {
  return (source == MPI_ANY_SOURCE ? HAKARU_RECV_ANY_SOURCE : 0) |
         (tag == MPI_ANY_TAG ? HAKARU_RECV_ANY_TAG : 0);
}

static inline void hk_post_send(hk_call* call, uint32_t mode, MPI_Comm comm, int dest, int tag,
                                hk_data data) {
  hk_communicator* c = hk_communicator_of(comm);
  hk_open(call, HK_MESSAGE_WORDS);
  hk_item_send(call, mode, c, dest, tag, data);
  hk_close(call);
}

static inline void hk_post_recv(hk_call* call, MPI_Comm comm, int source, int tag, uint32_t piece,
                                const MPI_Status* status) {
  hk_communicator* c = hk_communicator_of(comm);
  hk_open(call, HK_MESSAGE_WORDS);
  hk_item_received(call, HAKARU_ITEM_RECV, hk_wildcards(source, tag), c->id, 0, status, piece);
  hk_close(call);
}

static inline void hk_post_sendrecv(hk_call* call, MPI_Comm comm, int dest, int sendtag,
                                    hk_data data, int source, int recvtag, uint32_t piece,
                                    const MPI_Status* status) {
  hk_communicator* c = hk_communicator_of(comm);
  hk_open(call, 2 * HK_MESSAGE_WORDS);
  hk_item_send(call, HAKARU_SEND_STANDARD, c, dest, sendtag, data);
  hk_item_received(call, HAKARU_ITEM_RECV, hk_wildcards(source, recvtag), c->id, 0, status, piece);
  hk_close(call);
}

/* The item of a request that begins now. */
void hk_item_begin(hk_call* call, hk_request* request);

/* A new request of a non-blocking (begins now) or persistent (begins with MPI_Start) operation. */
static inline hk_request* hk_new_message(enum hk_request_kind kind, uint32_t flags, uint32_t object,
                                         MPI_Request handle, int peer, int tag, hk_data data) {
  hk_request* r = hk_add_request(HK_KEY(handle), kind, object);
  r->flags = (uint8_t)flags;
  r->peer = peer;
  r->tag = tag;
  r->bytes = peer == MPI_PROC_NULL ? 0 : data.bytes;
  r->piece = data.piece;
  return r;
}

static inline void hk_post_begin(hk_call* call, hk_request* request, int persistent) {
  hk_open(call, 2 * HK_MESSAGE_WORDS);
  if (persistent)
    request->persistent = 1, request->active = 0;
  else
    hk_item_begin(call, request);
  hk_close(call);
}

static inline void hk_post_isend(hk_call* call, int persistent, uint32_t mode, MPI_Comm comm,
                                 int dest, int tag, hk_data data, MPI_Request handle) {
  hk_communicator* c = hk_communicator_of(comm);
  hk_post_begin(call, hk_new_message(HK_SEND, mode, c->id, handle, dest, tag, data), persistent);
}

static inline void hk_post_irecv(hk_call* call, int persistent, MPI_Comm comm, int source, int tag,
                                 hk_data data, MPI_Request handle) {
  hk_communicator* c = hk_communicator_of(comm);
  uint32_t flags = hk_wildcards(source, tag);
  hk_post_begin(call, hk_new_message(HK_RECEIVE, flags, c->id, handle, source, tag, data),
                persistent);
}

void hk_post_isendrecv(hk_call* call, MPI_Comm comm, int dest, int sendtag, hk_data data,
                       int source, int recvtag, hk_data room, MPI_Request handle);
void hk_post_probe(hk_call* call, MPI_Comm comm, int source, int tag, int found,
                   const MPI_Status* status, const MPI_Message* message);
/* Before the real call, which resets the handle: the communicator and wildcards of the probed
 * message. */
typedef struct {
  uint32_t communicator, flags;
  int no_process;
} hk_probed;
hk_probed hk_before_mrecv(const MPI_Message* message);
void hk_post_mrecv(hk_call* call, hk_probed probed, uint32_t piece, const MPI_Status* status);
void hk_post_imrecv(hk_call* call, hk_probed probed, hk_data data, MPI_Request handle);

/* ---------------------------------------------------------------- completion */

#define HK_FEW 128 /* without asking for memory, in the call and after it */
/* Requests as they were before the call, and room for the statuses that the program does not want.
 */
typedef struct {
  MPI_Request few_requests[HK_FEW];
  MPI_Status few_statuses[HK_FEW];
  MPI_Request* requests;
  MPI_Status* statuses;
  int count, own_statuses;
} hk_waiting;
void hk_wait_begin(hk_waiting* waiting, int count, const MPI_Request* requests, MPI_Status* wanted);
/* done[i] for i < done_count: indices of the completed ones (NULL: all of them), with statuses[i].
 * Also frees. */
void hk_post_wait(hk_call* call, hk_waiting* waiting, int done_count, const int* done,
                  const MPI_Request* after);
void hk_post_start(hk_call* call, int count, const MPI_Request* requests);
void hk_post_cancel(hk_call* call, MPI_Request request);
void hk_post_request_free(hk_call* call, MPI_Request before);
void hk_post_get_status(hk_call* call, MPI_Request request, int done);

/* ---------------------------------------------------------------- collectives */

typedef struct {
  const void* counts;
  int wide; /* 8 bytes a count */
  int number;
  MPI_Datatype type;
  const MPI_Datatype* types; /* instead of type */
} hk_vector;
#define HK_VECTOR(counts, type, number) \
  ((hk_vector){counts, sizeof *(counts) == 8, (int)(number), type, NULL})
#define HK_VECTOR_OF_TYPES(counts, types, number) \
  ((hk_vector){counts, sizeof *(counts) == 8, (int)(number), MPI_BYTE, types})

typedef struct {
  int root;
  uint32_t flags;
  uint64_t sent, received;
  hk_vector out, in; /* number 0: the same for every peer */
} hk_transfer;

static inline int hk_ranks(const hk_communicator* c) { return c->inter ? c->remote_size : c->size; }
static inline int hk_is_root(const hk_communicator* c, int root) {
  return c->inter ? root == MPI_ROOT : root == c->rank;
}
/* Takes part as one of the many; in an inter-communicator not on the root's side. */
static inline int hk_is_leaf(const hk_communicator* c, int root) { return !c->inter || root >= 0; }

uint64_t hk_vector_bytes(const hk_vector* vector);
/* request NULL: blocking. persistent: recorded by MPI_Start. */
void hk_post_vectors(hk_call* call, hk_communicator* c, hk_transfer* transfer,
                     const MPI_Request* request, int persistent);
void hk_item_collective(hk_call* call, const hk_communicator* c, uint32_t request, int root,
                        uint32_t flags, uint64_t sent, uint64_t received);
#define HK_COLLECTIVE_WORDS 4

static inline void hk_post_collective(hk_call* call, hk_communicator* c, hk_transfer* t,
                                      const MPI_Request* request, int persistent) {
  if (HK_UNLIKELY(request || t->out.number || t->in.number))
    return hk_post_vectors(call, c, t, request, persistent);
  hk_open(call, HK_COLLECTIVE_WORDS);
  hk_item_collective(call, c, 0, t->root, t->flags, t->sent, t->received);
  hk_close(call);
}

/* ---------------------------------------------------------------- objects and one-sided
 * communication */

/* `parent` MPI_COMM_NULL: collective over the members of the new communicator only. */
void hk_post_new_communicator(hk_call* call, MPI_Comm parent, MPI_Comm made);
/* spawn.c. At the root: copies of the infos that tell the spawned world its number; else NULL. */
MPI_Info* hk_spawn_infos(int count, const MPI_Info* infos, int root, MPI_Comm comm);
void hk_free_spawn_infos(int count, const MPI_Info* infos, MPI_Info* copies);
void hk_post_spawn(hk_call* call, MPI_Comm parent, MPI_Comm made);
uint64_t hk_spawned_by(void); /* this world's number; 0: unknown, or not spawned */
void hk_post_idup(hk_call* call, MPI_Comm parent, MPI_Comm* made, MPI_Request handle);
hk_communicator* hk_before_free(MPI_Comm comm);
void hk_post_free_communicator(hk_call* call, hk_communicator* c);
void hk_post_set_name(hk_call* call, MPI_Comm comm, const char* name);
void hk_post_new_window(hk_call* call, uint32_t kind, MPI_Comm comm, MPI_Win window, int64_t bytes,
                        int64_t unit);
void hk_post_free_window(hk_call* call, MPI_Win before);
/* request NULL: without */
void hk_post_rma(hk_call* call, uint32_t operation, MPI_Win window, int target, uint64_t put,
                 uint64_t got, const MPI_Request* request);
void hk_post_sync(hk_call* call, uint32_t sync, MPI_Win window, int target, uint32_t detail,
                  const MPI_Group* group);

/* ---------------------------------------------------------------- MPI-IO */

/* mpi_files.c: the same for the watcher, by places. `ticks`: time of the call. */
extern __thread int hk_inside_file __attribute__((tls_model("initial-exec")));
void hk_place_open(hk_object* object, MPI_File file, const char* name, int mode, uint64_t ticks);
void hk_place_close(hk_object* object, uint64_t ticks);
void hk_place_file(hk_object* object, MPI_File file, uint32_t operation, uint32_t flags,
                   int64_t offset, uint64_t bytes, uint64_t ticks);
void hk_post_open_file(hk_call* call, MPI_Comm comm, const char* name, int mode, MPI_File file);
void hk_post_close_file(hk_call* call, MPI_File before);
#define HK_WHENCE(whence) \
  ((whence) == MPI_SEEK_CUR ? 1u << 8 : (whence) == MPI_SEEK_END ? 2u << 8 : 0u)
/* status NULL: bytes as asked for. request NULL: blocking. */
void hk_post_file(hk_call* call, uint32_t operation, uint32_t flags, MPI_File file, int64_t offset,
                  uint64_t bytes, const MPI_Status* status, const MPI_Request* request);

#endif
