/* Collectives, communicators, windows, one-sided communication and files: what is written after the
 * real call. */
#include <stdlib.h>

#include "post.h"
#include "real.h"

/* ---------------------------------------------------------------- collectives */

static uint64_t bytes_of_peer(const hk_vector* v, int i, uint64_t type_bytes) {
  int64_t count = v->wide ? ((const int64_t*)v->counts)[i] : ((const int32_t*)v->counts)[i];
  return v->types ? hk_bytes(count, v->types[i]) : (count > 0 ? (uint64_t)count * type_bytes : 0);
}

uint64_t hk_vector_bytes(const hk_vector* v) {
  uint64_t type_bytes = v->types ? 0 : hk_bytes(1, v->type), sum = 0;
  for (int i = 0; i < v->number; i++) sum += bytes_of_peer(v, i, type_bytes);
  return sum;
}

/* Words of an item of bytes by peer at most. */
static uint64_t counts_words(const hk_vector* v) { return v->number ? (uint64_t)v->number + 1 : 0; }

/* Returns where the next item goes. */
static uint64_t* item_counts(uint64_t* at, uint32_t kind, const hk_vector* v) {
  uint64_t type_bytes = v->types ? 0 : hk_bytes(1, v->type), most = 0;
  for (int i = 0; i < v->number; i++) {
    uint64_t bytes = bytes_of_peer(v, i, type_bytes);
    if (bytes > most) most = bytes;
  }
  int wide = most > UINT32_MAX;
  *at++ = hk_what(kind, wide ? HAKARU_COUNTS_WIDE : 0, 0, (uint32_t)v->number);
  if (!wide && v->number % 2) at[v->number / 2] = 0;
  for (int i = 0; i < v->number; i++) {
    uint64_t bytes = bytes_of_peer(v, i, type_bytes);
    if (wide)
      at[i] = bytes;
    else
      ((uint32_t*)at)[i] = (uint32_t)bytes;
  }
  return at + (wide ? v->number : (v->number + 1) / 2);
}

static uint64_t* items_of_vectors(uint64_t* at, const hk_transfer* t) {
  if (hk.per_peer && t->out.number) at = item_counts(at, HAKARU_ITEM_SENT_TO, &t->out);
  if (hk.per_peer && t->in.number) at = item_counts(at, HAKARU_ITEM_RECEIVED_FROM, &t->in);
  return at;
}

/* The arguments may be gone when MPI_Start comes. */
static void keep_vectors(hk_request* r, const hk_transfer* t) {
  uint64_t words = counts_words(&t->out) + counts_words(&t->in);
  if (!hk.per_peer || words == 0) return;
  r->counts = malloc(words * sizeof *r->counts);
  if (!r->counts) abort();
  r->counts_words = (uint64_t)(items_of_vectors(r->counts, t) - r->counts);
}

static int32_t root_of(int root) {
  if (root == MPI_ROOT) return HAKARU_RAW_THIS_ROOT;
  return root < 0 ? HAKARU_RAW_NO_ROOT : root;
}

void hk_item_collective(hk_call* call, const hk_communicator* c, uint32_t request, int root,
                        uint32_t flags, uint64_t sent, uint64_t received) {
  call->sent += sent;
  call->received += received;
  hk_item(call, HAKARU_ITEM_COLLECTIVE, 0, c->id, request);
  *call->at++ = hk_pair((uint32_t)root_of(root), flags);
  *call->at++ = sent;
  *call->at++ = received;
}

void hk_post_vectors(hk_call* call, hk_communicator* c, hk_transfer* t, const MPI_Request* request,
                     int persistent) {
  uint32_t id = 0;
  if (t->out.number) t->sent = hk_vector_bytes(&t->out);
  if (t->in.number) t->received = hk_vector_bytes(&t->in);
  if (request) {
    hk_request* r = hk_add_request(HK_KEY(*request), HK_COLLECTIVE, c->id);
    r->peer = root_of(t->root);
    r->flags = (uint8_t)t->flags;
    r->bytes = t->sent;
    r->bytes_received = t->received;
    r->persistent = persistent != 0;
    r->active = !persistent;
    r->call = call->id;
    id = r->id;
    if (persistent) keep_vectors(r, t);
  }
  hk_open(call, HK_COLLECTIVE_WORDS + counts_words(&t->out) + counts_words(&t->in));
  if (!persistent) {
    hk_item_collective(call, c, id, t->root, t->flags, t->sent, t->received);
    call->at = items_of_vectors(call->at, t);
  }
  hk_close(call);
}

/* ---------------------------------------------------------------- communicators */

void hk_post_new_communicator(hk_call* call, MPI_Comm parent, MPI_Comm made) {
  hk_communicator *from = NULL, *to = NULL;
  uint32_t sequence = 0;
  if (parent != MPI_COMM_NULL) {
    from = hk_communicator_of(parent);
    sequence = ++from->made;
  }
  if (made != MPI_COMM_NULL) to = hk_add_communicator(made, from, sequence);
  hk_open(call, HK_COLLECTIVE_WORDS + 1);
  if (from || to) hk_item_collective(call, from ? from : to, 0, HAKARU_RAW_NO_ROOT, 0, 0, 0);
  if (to) hk_item(call, HAKARU_ITEM_COMMUNICATOR_MADE, 0, to->id, 0);
  hk_close(call);
}

void hk_post_idup(hk_call* call, MPI_Comm parent, MPI_Comm* made, MPI_Request handle) {
  hk_communicator* from = hk_communicator_of(parent);
  hk_request* r = hk_add_request(HK_KEY(handle), HK_COLLECTIVE, from->id);
  r->new_communicator = made;
  r->parent = from;
  r->sequence = ++from->made;
  hk_open(call, HK_COLLECTIVE_WORDS);
  hk_item_collective(call, from, r->id, HAKARU_RAW_NO_ROOT, 0, 0, 0);
  hk_close(call);
}

hk_communicator* hk_before_free(MPI_Comm comm) {
  if (hk.multiple) pthread_mutex_lock(&hk_lock);
  hk_communicator* c = comm == MPI_COMM_NULL ? NULL : hk_communicator_of(comm);
  if (hk.multiple) pthread_mutex_unlock(&hk_lock);
  return c;
}

void hk_post_free_communicator(hk_call* call, hk_communicator* c) {
  hk_open(call, HK_COLLECTIVE_WORDS + 1);
  if (call->success && c) {
    hk_item_collective(call, c, 0, HAKARU_RAW_NO_ROOT, 0, 0, 0);
    hk_item(call, HAKARU_ITEM_COMMUNICATOR_FREED, 0, c->id, 0);
    hk_remove_communicator(c);
  }
  hk_close(call);
}

void hk_post_set_name(hk_call* call, MPI_Comm comm, const char* name) {
  hk_name_communicator(hk_communicator_of(comm), name);
  hk_post_plain(call);
}

/* ---------------------------------------------------------------- windows */

void hk_post_new_window(hk_call* call, uint32_t kind, MPI_Comm comm, MPI_Win window, int64_t bytes,
                        int64_t unit) {
  hk_communicator* c = hk_communicator_of(comm);
  hk_object* w = hk_add_window(window, kind, c, (uint64_t)bytes, (uint32_t)unit);
  hk_open(call, HK_COLLECTIVE_WORDS + 1);
  hk_item_collective(call, c, 0, HAKARU_RAW_NO_ROOT, 0, 0, 0);
  hk_item(call, HAKARU_ITEM_WINDOW_MADE, 0, w->id, 0);
  hk_close(call);
}

void hk_post_free_window(hk_call* call, MPI_Win before) {
  hk_object* w = hk_window_of(before);
  hk_open(call, HK_COLLECTIVE_WORDS + 1);
  if (call->success) {
    hk_item_collective(call, w->communicator, 0, HAKARU_RAW_NO_ROOT, 0, 0, 0);
    hk_item(call, HAKARU_ITEM_WINDOW_FREED, 0, w->id, 0);
    hk_remove_window(before);
  }
  hk_close(call);
}

void hk_post_rma(hk_call* call, uint32_t operation, MPI_Win window, int target, uint64_t put,
                 uint64_t got, const MPI_Request* request) {
  hk_object* w = hk_window_of(window);
  hk_request* r = request ? hk_add_request(HK_KEY(*request), HK_RMA, w->id) : NULL;
  if (target == MPI_PROC_NULL) put = got = 0;
  call->sent += put;
  call->received += got;
  hk_open(call, 4);
  hk_item(call, HAKARU_ITEM_RMA, 0, w->id, r ? r->id : 0);
  *call->at++ = hk_pair((uint32_t)hk_peer(target), operation);
  *call->at++ = put;
  *call->at++ = got;
  hk_close(call);
}

static void item_group(hk_call* call, const hk_object* w, MPI_Win window, MPI_Group group,
                       int size) {
  MPI_Group all;
  hk_item(call, HAKARU_ITEM_GROUP, 0, w->id, (uint32_t)size);
  PMPI_Win_get_group(window, &all);
  for (int i = 0; i < size; i++) {
    int rank = HAKARU_RAW_NO_PEER;
    PMPI_Group_translate_ranks(group, 1, &i, all, &rank);
    ((int32_t*)call->at)[i] = rank;
  }
  if (size % 2) ((int32_t*)call->at)[size] = 0;
  PMPI_Group_free(&all);
  call->at += (size + 1) / 2;
}

void hk_post_sync(hk_call* call, uint32_t sync, MPI_Win window, int target, uint32_t detail,
                  const MPI_Group* group) {
  hk_object* w = hk_window_of(window);
  int size = 0;
  if (group) PMPI_Group_size(*group, &size);
  hk_open(call, 2 + (group ? 2 + (uint64_t)size : 0));
  hk_item(call, HAKARU_ITEM_RMA_SYNC, 0, w->id, sync);
  *call->at++ = hk_pair((uint32_t)target, detail);
  if (group) item_group(call, w, window, *group, size);
  hk_close(call);
}

/* ---------------------------------------------------------------- files */

void hk_post_open_file(hk_call* call, MPI_Comm comm, const char* name, int mode, MPI_File file) {
  hk_communicator* c = hk_communicator_of(comm);
  hk_object* f = hk_add_file(file, c, name, mode);
  hk_place_open(f, file, name, mode, call->leave - call->enter);
  hk_open(call, HK_COLLECTIVE_WORDS + 1);
  hk_item_collective(call, c, 0, HAKARU_RAW_NO_ROOT, 0, 0, 0);
  hk_item(call, HAKARU_ITEM_FILE_OPENED, 0, f->id, 0);
  hk_close(call);
}

void hk_post_close_file(hk_call* call, MPI_File before) {
  hk_object* f = hk_file_of(before);
  hk_open(call, HK_COLLECTIVE_WORDS + 1);
  if (call->success) {
    hk_item_collective(call, f->communicator, 0, HAKARU_RAW_NO_ROOT, 0, 0, 0);
    hk_item(call, HAKARU_ITEM_FILE_CLOSED, 0, f->id, 0);
    hk_place_close(f, call->leave - call->enter);
    hk_remove_file(before);
  }
  hk_close(call);
}

void hk_post_file(hk_call* call, uint32_t operation, uint32_t flags, MPI_File file, int64_t offset,
                  uint64_t bytes, const MPI_Status* status, const MPI_Request* request) {
  hk_object* f = hk_file_of(file);
  hk_request* r = request ? hk_add_request(HK_KEY(*request), HK_FILE, f->id) : NULL;
  if (r) r->tag = (int32_t)operation, r->flags = (uint8_t)flags;
  if (status) bytes = hk_status_bytes(status);
  hk_place_file(f, file, operation, flags, offset, bytes, call->leave - call->enter);
  int counted = !r && !(flags & HAKARU_FILE_SPLIT_BEGIN); /* else when it completes */
  if (counted && operation == HAKARU_FILE_WRITE) call->sent += bytes;
  if (counted && operation == HAKARU_FILE_READ) call->received += bytes;
  hk_open(call, 4);
  hk_item(call, HAKARU_ITEM_FILE, 0, f->id, r ? r->id : 0);
  *call->at++ = hk_pair(operation, flags);
  *call->at++ = (uint64_t)offset;
  *call->at++ = bytes;
  hk_close(call);
}
