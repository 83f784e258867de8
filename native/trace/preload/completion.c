/* Requests: beginning, and completion in the wait and test families. */
#include <stdlib.h>
#include <string.h>

#include "post.h"
#include "real.h"

#define MOST_WORDS_OF_ONE 5 /* of the items of one completed request */

void hk_item_begin(hk_call* call, hk_request* r) {
  uint32_t flags = r->flags | (r->persistent ? HAKARU_REQUEST_PERSISTENT : 0);
  hk_data data = {r->bytes, r->piece};
  if (r->kind == HK_SEND) {
    call->sent += r->bytes;
    hk_message(call, HAKARU_ITEM_ISEND, flags, r->object, r->id, r->peer, r->tag, data);
  } else if (r->kind == HK_RECEIVE) {
    hk_message(call, HAKARU_ITEM_IRECV, flags, r->object, r->id, r->peer, r->tag, data);
  } else if (r->kind == HK_COLLECTIVE) {
    call->sent += r->bytes;
    call->received += r->bytes_received;
    hk_item(call, HAKARU_ITEM_COLLECTIVE, 0, r->object, r->id);
    *call->at++ = hk_pair((uint32_t)r->peer, r->flags | HAKARU_COLLECTIVE_PERSISTENT |
                                                 r->call << HAKARU_COLLECTIVE_CALL_SHIFT);
    *call->at++ = r->bytes;
    *call->at++ = r->bytes_received;
    if (r->counts) memcpy(call->at, r->counts, r->counts_words * sizeof *r->counts);
    call->at += r->counts_words;
  }
}

void hk_post_isendrecv(hk_call* call, MPI_Comm comm, int dest, int sendtag, hk_data data,
                       int source, int recvtag, hk_data room, MPI_Request handle) {
  hk_communicator* c = hk_communicator_of(comm);
  uint32_t flags = hk_wildcards(source, recvtag);
  hk_request* r = hk_new_message(HK_EXCHANGE, flags, c->id, handle, source, recvtag, room);
  hk_next_request_id(); /* id is the send's, id + 1 the receive's */
  if (r->id + 1 == 0) r->id = hk_next_request_id(), hk_next_request_id();
  if (dest == MPI_PROC_NULL) data.bytes = 0;
  call->sent += data.bytes;
  hk_open(call, 2 * HK_MESSAGE_WORDS);
  hk_message(call, HAKARU_ITEM_ISEND, HAKARU_SEND_STANDARD, c->id, r->id, dest, sendtag, data);
  hk_message(call, HAKARU_ITEM_IRECV, flags, c->id, r->id + 1, source, recvtag, room);
  hk_close(call);
}

/* ---------------------------------------------------------------- probes and their messages */

void hk_post_probe(hk_call* call, MPI_Comm comm, int source, int tag, int found,
                   const MPI_Status* status, const MPI_Message* message) {
  hk_communicator* c = hk_communicator_of(comm);
  uint32_t flags = hk_wildcards(source, tag) | (message ? HAKARU_RECV_MATCHED : 0);
  hk_open(call, HK_MESSAGE_WORDS);
  if (found) {
    hk_message(call, HAKARU_ITEM_PROBED, flags, c->id, 0, status->MPI_SOURCE, status->MPI_TAG,
               (hk_data){hk_status_bytes(status), 0});
    if (message && *message != MPI_MESSAGE_NO_PROC) hk_add_probed(*message, c->id, flags);
  }
  hk_close(call);
}

static void lock(void) {
  if (hk.multiple) pthread_mutex_lock(&hk_lock);
}
static void unlock(void) {
  if (hk.multiple) pthread_mutex_unlock(&hk_lock);
}

hk_probed hk_before_mrecv(const MPI_Message* message) {
  hk_probed probed = {0, HAKARU_RECV_MATCHED, *message == MPI_MESSAGE_NO_PROC};
  if (probed.no_process) return probed;
  lock();
  probed.communicator = hk_take_probed(*message, &probed.flags);
  unlock();
  return probed;
}

void hk_post_mrecv(hk_call* call, hk_probed probed, uint32_t piece, const MPI_Status* status) {
  hk_open(call, HK_MESSAGE_WORDS);
  hk_item_received(call, HAKARU_ITEM_RECV, probed.flags, probed.communicator, 0, status, piece);
  hk_close(call);
}

void hk_post_imrecv(hk_call* call, hk_probed probed, hk_data data, MPI_Request handle) {
  int source = probed.no_process ? MPI_PROC_NULL : MPI_ANY_SOURCE; /* known when it completes */
  hk_post_begin(call,
                hk_new_message(HK_RECEIVE, probed.flags, probed.communicator, handle, source,
                               MPI_ANY_TAG, data),
                0);
}

/* ---------------------------------------------------------------- wait and test */

void hk_wait_begin(hk_waiting* waiting, int count, const MPI_Request* requests,
                   MPI_Status* wanted) {
  waiting->requests = waiting->few_requests;
  waiting->statuses = wanted;
  waiting->count = count;
  waiting->own_statuses = !wanted;
  if (count > HK_FEW) waiting->requests = malloc((size_t)count * sizeof *requests);
  if (!wanted)
    waiting->statuses =
        count <= HK_FEW ? waiting->few_statuses : malloc((size_t)count * sizeof *wanted);
  if (!waiting->requests || !waiting->statuses) abort();
  for (int i = 0; i < count; i++) waiting->requests[i] = requests[i];
}

static void wait_end(hk_waiting* waiting) {
  if (waiting->count <= HK_FEW) return;
  free(waiting->requests);
  if (waiting->own_statuses) free(waiting->statuses);
}

static void item_file_done(hk_call* call, const hk_request* r, const MPI_Status* status) {
  uint64_t bytes = hk_status_bytes(status);
  int writing = r->tag == HAKARU_FILE_WRITE;
  if (writing)
    call->sent += bytes;
  else
    call->received += bytes;
  hk_item(call, HAKARU_ITEM_FILE_DONE, 0, r->object, r->id);
  *call->at++ = hk_pair((uint32_t)r->tag, r->flags);
  *call->at++ = (uint64_t)-1;
  *call->at++ = bytes;
}

static void item_exchange_done(hk_call* call, const hk_request* r, const MPI_Status* status) {
  hk_item(call, HAKARU_ITEM_SEND_DONE, 0, r->object, r->id);
#if defined(MPICH_NUMVERSION) /* 4.0 leaves in the status what the last operation left there */
  (void)status;
  call->received += r->bytes;
  hk_message(call, HAKARU_ITEM_RECV_DONE, r->flags | HAKARU_RECV_UNTOLD, r->object, r->id + 1,
             r->peer, r->tag, (hk_data){r->bytes, r->piece});
#else
  hk_item_received(call, HAKARU_ITEM_RECV_DONE, r->flags, r->object, r->id + 1, status, r->piece);
#endif
}

static void item_done(hk_call* call, const hk_request* r, const MPI_Status* status) {
  static const uint8_t kinds[] = {[HK_SEND] = HAKARU_ITEM_SEND_DONE,
                                  [HK_COLLECTIVE] = HAKARU_ITEM_COLLECTIVE_DONE,
                                  [HK_RMA] = HAKARU_ITEM_RMA_DONE,
                                  [HK_OTHER] = HAKARU_ITEM_OTHER_DONE};
  int cancelled = 0;
  if (r->cancelled) PMPI_Test_cancelled(status, &cancelled);
  if (cancelled)
    hk_item(call, HAKARU_ITEM_CANCELLED, 0, r->object, r->id);
  else if (r->kind == HK_RECEIVE)
    hk_item_received(call, HAKARU_ITEM_RECV_DONE, r->flags, r->object, r->id, status, r->piece);
  else if (r->kind == HK_FILE)
    item_file_done(call, r, status);
  else if (r->kind == HK_EXCHANGE)
    item_exchange_done(call, r, status);
  else
    hk_item(call, kinds[r->kind], 0, r->object, r->id);
}

/* Communicators that became usable are defined after the record. */
typedef struct {
  MPI_Comm made;
  hk_communicator* parent;
  uint32_t sequence;
} new_communicator;
static new_communicator* usable;
static int usable_count, usable_room;

static void add_usable(const hk_request* r) {
  if (usable_count == usable_room) {
    usable_room = 2 * usable_room + 8;
    usable = realloc(usable, (size_t)usable_room * sizeof *usable);
    if (!usable) abort();
  }
  usable[usable_count++] = (new_communicator){*r->new_communicator, r->parent, r->sequence};
}

static void define_usable(void) {
  hk_inside = 1;
  lock();
  for (int i = 0; i < usable_count; i++)
    if (usable[i].made != MPI_COMM_NULL)
      hk_add_communicator(usable[i].made, usable[i].parent, usable[i].sequence);
  usable_count = 0;
  unlock();
  hk_inside = 0;
}

static void retire(hk_request* r) {
  if (r->persistent)
    r->active = 0;
  else
    hk_remove_request(r);
}

static void complete_one(hk_call* call, MPI_Request handle, const MPI_Status* status) {
  hk_request* r = handle == MPI_REQUEST_NULL ? NULL : hk_find_request(HK_KEY(handle));
  if (!r || !r->active) return;
  item_done(call, r, status);
  if (r->new_communicator) add_usable(r);
  retire(r);
}

/* After an error: what is gone is forgotten, since its handle may come again. */
static void forget_lost(const hk_waiting* waiting, const MPI_Request* after) {
  for (int i = 0; i < waiting->count; i++) {
    if (waiting->requests[i] == MPI_REQUEST_NULL || after[i] != MPI_REQUEST_NULL) continue;
    hk_request* r = hk_find_request(HK_KEY(waiting->requests[i]));
    if (r) hk_remove_request(r);
  }
}

void hk_post_wait(hk_call* call, hk_waiting* waiting, int done_count, const int* done,
                  const MPI_Request* after) {
  if (done_count < 0 || done_count == MPI_UNDEFINED) done_count = 0;
  hk_open(call, MOST_WORDS_OF_ONE * (uint64_t)done_count + 1);
  if (!call->success) {
    forget_lost(waiting, after);
  } else {
    for (int i = 0; i < done_count; i++)
      complete_one(call, waiting->requests[done ? done[i] : i], &waiting->statuses[i]);
    if (done_count == 0 && waiting->count == 1 && waiting->requests[0] != MPI_REQUEST_NULL) {
      hk_request* r = hk_find_request(HK_KEY(waiting->requests[0]));
      if (r && r->active) hk_item(call, HAKARU_ITEM_NOT_DONE, 0, r->object, r->id);
    }
  }
  wait_end(waiting);
  hk_close(call);
  if (HK_UNLIKELY(usable_count)) define_usable();
}

void hk_post_start(hk_call* call, int count, const MPI_Request* requests) {
  uint64_t words = HK_COLLECTIVE_WORDS * (uint64_t)count;
  for (int i = 0; call->success && i < count; i++) {
    const hk_request* r = hk_find_request(HK_KEY(requests[i]));
    if (r) words += r->counts_words;
  }
  hk_open(call, call->success ? words : 0);
  for (int i = 0; call->success && i < count; i++) {
    hk_request* r = hk_find_request(HK_KEY(requests[i]));
    if (!r || !r->persistent) continue;
    r->id = hk_next_request_id();
    r->active = 1;
    r->cancelled = 0;
    hk_item_begin(call, r);
  }
  hk_close(call);
}

void hk_post_cancel(hk_call* call, MPI_Request request) {
  hk_request* r = hk_find_request(HK_KEY(request));
  hk_open(call, 1);
  if (call->success && r) {
    r->cancelled = 1;
    hk_item(call, HAKARU_ITEM_CANCEL, 0, r->object, r->id);
  }
  hk_close(call);
}

void hk_post_request_free(hk_call* call, MPI_Request before) {
  hk_request* r = hk_find_request(HK_KEY(before));
  hk_open(call, 1);
  if (call->success && r) {
    if (r->active) hk_item(call, HAKARU_ITEM_FREED, 0, r->object, r->id);
    hk_remove_request(r);
  }
  hk_close(call);
}

void hk_post_get_status(hk_call* call, MPI_Request request, int done) {
  hk_request* r = request == MPI_REQUEST_NULL ? NULL : hk_find_request(HK_KEY(request));
  hk_open(call, 1);
  if (call->success && !done && r && r->active)
    hk_item(call, HAKARU_ITEM_NOT_DONE, 0, r->object, r->id);
  hk_close(call);
}
