/* An independent record of what a program does: one JSON object a call, in
 * HAKARU_RECORDER/rank-N.jsonl. Preloaded; shares no code with the tracer. Covers the calls that
 * apps use; the test looks at a program's symbols and refuses those that are missing here. */
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "native/parallel/remote_operation.h"

static FILE* out;
static int inside; /* calls that MPI makes itself are not recorded */

static void open_file(void) {
  const char* folder = getenv("HAKARU_RECORDER");
  char path[4096];
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/rank-%d.jsonl", folder ? folder : ".", rank);
  out = fopen(path, "w");
  if (!out) PMPI_Abort(MPI_COMM_WORLD, 4);
}

static void put(const char* format, ...) {
  if (!out || inside) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(out, format, arguments);
  va_end(arguments);
  fputc('\n', out);
}

#define CALL(expression)       \
  ++inside;                    \
  const int code = expression; \
  --inside;                    \
  return code

static int size_of(MPI_Comm communicator) {
  int size;
  PMPI_Comm_size(communicator, &size);
  return size;
}

static int world_rank(MPI_Group group, int rank) {
  MPI_Group world;
  int translated = rank;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  if (rank >= 0) PMPI_Group_translate_ranks(group, 1, &rank, world, &translated);
  PMPI_Group_free(&world);
  return rank >= 0 ? translated : rank == MPI_PROC_NULL ? -1 : -2;
}

static int peer_in(MPI_Comm communicator, int rank) {
  MPI_Group group;
  PMPI_Comm_group(communicator, &group);
  const int translated = world_rank(group, rank);
  PMPI_Group_free(&group);
  return translated;
}

static long long bytes_of(int count, MPI_Datatype type) {
  int size;
  PMPI_Type_size(type, &size);
  return (long long)count * size;
}

/* Handles are integers (MPICH) or pointers (Open MPI). */
static unsigned long long number_of(MPI_Request request) {
  return (unsigned long long)(uintptr_t)request;
}

static void message(const char* kind, int peer, int tag, long long bytes, MPI_Comm communicator,
                    unsigned long long request) {
  put("{\"kind\": \"%s\", \"peer\": %d, \"tag\": %d, \"bytes\": %lld, \"size\": %d, \"request\": "
      "%llu}",
      kind, peer_in(communicator, peer), tag, bytes, size_of(communicator), request);
}

static void collective(const char* kind, int root, long long bytes, MPI_Comm communicator) {
  put("{\"kind\": \"%s\", \"root\": %d, \"bytes\": %lld, \"size\": %d}", kind, root, bytes,
      size_of(communicator));
}

static void wait_for(MPI_Request request) {
  if (request != MPI_REQUEST_NULL)
    put("{\"kind\": \"wait\", \"request\": %llu}", number_of(request));
}

int MPI_Init(int* count, char*** arguments) {
  const int code = PMPI_Init(count, arguments);
  open_file();
  return code;
}

int MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const int code = PMPI_Init_thread(count, arguments, required, provided);
  open_file();
  return code;
}

int MPI_Finalize(void) {
  if (out) fclose(out);
  out = NULL;
  return PMPI_Finalize();
}

/* PUT and GET; what is told between begin and end is how the outer one is done. */
static void remote(const hakaru_remote_operation* o) {
  static const char* const transfers[] = {"put", "get"};
  static const char* const messages[] = {"send", "receive"};
  const int size = size_of(o->group);
  switch (o->kind) {
    case HAKARU_REMOTE_PUT:
    case HAKARU_REMOTE_GET:
      put("{\"kind\": \"%s\", \"peer\": %d, \"tag\": %d, \"sent_flag\": %d, \"items\": %lld, "
          "\"bytes\": %lld, \"size\": %d}",
          transfers[o->kind - HAKARU_REMOTE_PUT], peer_in(o->group, o->peer), o->received_flag,
          o->sent_flag, o->items, o->bytes, size);
      break;
    case HAKARU_REMOTE_FLAG_WAIT:
      put("{\"kind\": \"flag_wait\", \"tag\": %d, \"bytes\": %lld}", o->received_flag, o->bytes);
      break;
    case HAKARU_REMOTE_ACKNOWLEDGE:
      put("{\"kind\": \"flush\", \"size\": %d}", size);
      break;
    case HAKARU_REMOTE_SEND:
    case HAKARU_REMOTE_RECEIVE:
      put("{\"kind\": \"%s\", \"peer\": %d, \"tag\": %d, \"bytes\": %lld, \"size\": %d}",
          messages[o->kind - HAKARU_REMOTE_SEND], peer_in(o->group, o->peer), o->received_flag,
          o->bytes, size);
      break;
    default:
      put("{\"kind\": \"unknown remote operation %d\"}", o->kind);
  }
}

int MPI_Pcontrol(const int level, ...) {
  va_list arguments;
  va_start(arguments, level);
  const char* name = va_arg(arguments, const char*);
  va_end(arguments);
  if (level == HAKARU_REMOTE_BEGIN) {
    remote((const void*)name);
    ++inside;
    return MPI_SUCCESS;
  }
  if (level == HAKARU_REMOTE_END) {
    --inside;
    return MPI_SUCCESS;
  }
  put("{\"kind\": \"%s\", \"phase\": \"%s\"}",
      level == 1    ? "begin"
      : level == -1 ? "end"
                    : "other level",
      name);
  return MPI_SUCCESS;
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm c) {
  message("send", to, tag, bytes_of(count, type), c, 0);
  CALL(PMPI_Send(data, count, type, to, tag, c));
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm c,
             MPI_Status* status) {
  message("receive", from, tag, bytes_of(count, type), c, 0);
  CALL(PMPI_Recv(data, count, type, from, tag, c, status));
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
              MPI_Request* request) {
  ++inside;
  const int code = PMPI_Isend(data, count, type, to, tag, c, request);
  --inside;
  message("isend", to, tag, bytes_of(count, type), c, number_of(*request));
  return code;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm c,
              MPI_Request* request) {
  ++inside;
  const int code = PMPI_Irecv(data, count, type, from, tag, c, request);
  --inside;
  message("ireceive", from, tag, bytes_of(count, type), c, number_of(*request));
  return code;
}

/* A persistent request is recorded as what it starts, whenever it is started. */
static struct {
  MPI_Request request;
  int peer, tag;
  long long bytes;
  MPI_Comm communicator;
} persistent[1024];
static int persistents;

static int place_of(MPI_Request request) {
  int place = persistents - 1;
  while (place >= 0 && persistent[place].request != request) --place;
  return place;
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
                  MPI_Request* request) {
  ++inside;
  const int code = PMPI_Send_init(data, count, type, to, tag, c, request);
  --inside;
  const int known = place_of(*request), place = known < 0 ? persistents++ : known;
  if (place >= (int)(sizeof persistent / sizeof *persistent)) PMPI_Abort(MPI_COMM_WORLD, 4);
  persistent[place].request = *request;
  persistent[place].peer = to;
  persistent[place].tag = tag;
  persistent[place].bytes = bytes_of(count, type);
  persistent[place].communicator = c;
  return code;
}

int MPI_Start(MPI_Request* request) {
  const int place = place_of(*request);
  if (place < 0)
    put("{\"kind\": \"start of an unknown request\"}");
  else
    message("isend", persistent[place].peer, persistent[place].tag, persistent[place].bytes,
            persistent[place].communicator, number_of(*request));
  CALL(PMPI_Start(request));
}

int MPI_Sendrecv(const void* out_data, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void* in_data, int in_count, MPI_Datatype in_type, int from, int in_tag,
                 MPI_Comm c, MPI_Status* status) {
  put("{\"kind\": \"send_receive\", \"to\": %d, \"out_tag\": %d, \"out_bytes\": %lld, \"from\": "
      "%d, \"in_tag\": %d, \"in_bytes\": %lld, "
      "\"size\": %d}",
      peer_in(c, to), out_tag, bytes_of(out_count, out_type), peer_in(c, from), in_tag,
      bytes_of(in_count, in_type), size_of(c));
  CALL(PMPI_Sendrecv(out_data, out_count, out_type, to, out_tag, in_data, in_count, in_type, from,
                     in_tag, c, status));
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  wait_for(*request);
  CALL(PMPI_Wait(request, status));
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  for (int i = 0; i < count; ++i) wait_for(requests[i]);
  CALL(PMPI_Waitall(count, requests, statuses));
}

int MPI_Waitany(int count, MPI_Request requests[], int* which, MPI_Status* status) {
  MPI_Request* before = malloc(sizeof(MPI_Request) * (size_t)(count > 0 ? count : 1));
  for (int i = 0; i < count; ++i) before[i] = requests[i];
  ++inside;
  const int code = PMPI_Waitany(count, requests, which, status);
  --inside;
  if (*which != MPI_UNDEFINED) wait_for(before[*which]);
  free(before);
  return code;
}

int MPI_Barrier(MPI_Comm c) {
  collective("barrier", -1, 0, c);
  CALL(PMPI_Barrier(c));
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm c) {
  collective("broadcast", root, bytes_of(count, type), c);
  CALL(PMPI_Bcast(data, count, type, root, c));
}

int MPI_Reduce(const void* data, void* result, int count, MPI_Datatype type, MPI_Op operation,
               int root, MPI_Comm c) {
  collective("reduce", root, bytes_of(count, type), c);
  CALL(PMPI_Reduce(data, result, count, type, operation, root, c));
}

int MPI_Allreduce(const void* data, void* result, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm c) {
  collective("allreduce", -1, bytes_of(count, type), c);
  CALL(PMPI_Allreduce(data, result, count, type, operation, c));
}

int MPI_Gather(const void* data, int count, MPI_Datatype type, void* all, int all_count,
               MPI_Datatype all_type, int root, MPI_Comm c) {
  collective("gather", root,
             data == MPI_IN_PLACE ? bytes_of(all_count, all_type) : bytes_of(count, type), c);
  CALL(PMPI_Gather(data, count, type, all, all_count, all_type, root, c));
}

int MPI_Scatter(const void* all, int all_count, MPI_Datatype all_type, void* data, int count,
                MPI_Datatype type, int root, MPI_Comm c) {
  collective("scatter", root,
             data == MPI_IN_PLACE ? bytes_of(all_count, all_type) : bytes_of(count, type), c);
  CALL(PMPI_Scatter(all, all_count, all_type, data, count, type, root, c));
}

int MPI_Allgather(const void* data, int count, MPI_Datatype type, void* all, int all_count,
                  MPI_Datatype all_type, MPI_Comm c) {
  collective("allgather", -1,
             data == MPI_IN_PLACE ? bytes_of(all_count, all_type) : bytes_of(count, type), c);
  CALL(PMPI_Allgather(data, count, type, all, all_count, all_type, c));
}

int MPI_Alltoall(const void* data, int count, MPI_Datatype type, void* all, int all_count,
                 MPI_Datatype all_type, MPI_Comm c) {
  collective("alltoall", -1,
             data == MPI_IN_PLACE ? bytes_of(all_count, all_type) : bytes_of(count, type), c);
  CALL(PMPI_Alltoall(data, count, type, all, all_count, all_type, c));
}

/* Calls that no operation of a schedule stands for: the comparison fails when one is made in a
 * repetition. */
int MPI_Gatherv(const void* data, int count, MPI_Datatype type, void* all, const int counts[],
                const int places[], MPI_Datatype all_type, int root, MPI_Comm c) {
  collective("MPI_Gatherv", root, bytes_of(count, type), c);
  CALL(PMPI_Gatherv(data, count, type, all, counts, places, all_type, root, c));
}

int MPI_Comm_split(MPI_Comm c, int colour, int key, MPI_Comm* part) {
  collective("MPI_Comm_split", -1, 0, c);
  CALL(PMPI_Comm_split(c, colour, key, part));
}

int MPI_Comm_split_type(MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm* part) {
  collective("MPI_Comm_split_type", -1, 0, c);
  CALL(PMPI_Comm_split_type(c, type, key, info, part));
}

int MPI_Comm_create_group(MPI_Comm c, MPI_Group group, int tag, MPI_Comm* part) {
  collective("MPI_Comm_create_group", -1, 0, c);
  CALL(PMPI_Comm_create_group(c, group, tag, part));
}

int MPI_Comm_dup(MPI_Comm c, MPI_Comm* copy) {
  collective("MPI_Comm_dup", -1, 0, c);
  CALL(PMPI_Comm_dup(c, copy));
}

int MPI_Win_create(void* data, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm c,
                   MPI_Win* window) {
  collective("MPI_Win_create", -1, 0, c);
  CALL(PMPI_Win_create(data, bytes, unit, info, c, window));
}

static int size_of_window(MPI_Win window) {
  MPI_Group group;
  int size;
  PMPI_Win_get_group(window, &group);
  PMPI_Group_size(group, &size);
  PMPI_Group_free(&group);
  return size;
}

static void one_sided(const char* kind, int target, long long bytes, MPI_Win window) {
  MPI_Group group;
  PMPI_Win_get_group(window, &group);
  put("{\"kind\": \"%s\", \"peer\": %d, \"bytes\": %lld, \"size\": %d}", kind,
      world_rank(group, target), bytes, size_of_window(window));
  PMPI_Group_free(&group);
}

int MPI_Put(const void* data, int count, MPI_Datatype type, int target, MPI_Aint place,
            int target_count, MPI_Datatype target_type, MPI_Win window) {
  one_sided("put", target, bytes_of(count, type), window);
  CALL(PMPI_Put(data, count, type, target, place, target_count, target_type, window));
}

int MPI_Get(void* data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  one_sided("get", target, bytes_of(count, type), window);
  CALL(PMPI_Get(data, count, type, target, place, target_count, target_type, window));
}

int MPI_Win_fence(int assertion, MPI_Win window) {
  put("{\"kind\": \"fence\", \"size\": %d}", size_of_window(window));
  CALL(PMPI_Win_fence(assertion, window));
}

static void file(const char* kind, const char* mode, long long bytes, int size) {
  put("{\"kind\": \"%s\", \"mode\": \"%s\", \"bytes\": %lld, \"size\": %d}", kind, mode, bytes,
      size);
}

static int size_of_file(MPI_File handle) {
  MPI_Group group;
  int size;
  PMPI_File_get_group(handle, &group);
  PMPI_Group_size(group, &size);
  PMPI_Group_free(&group);
  return size;
}

int MPI_File_open(MPI_Comm c, const char* path, int mode, MPI_Info info, MPI_File* handle) {
  file("file_open", "collective", 0, size_of(c));
  CALL(PMPI_File_open(c, path, mode, info, handle));
}

int MPI_File_close(MPI_File* handle) {
  file("file_close", "collective", 0, size_of_file(*handle));
  CALL(PMPI_File_close(handle));
}

/* All ranks call it and none writes anything of its own. */
int MPI_File_sync(MPI_File handle) {
  file("file_write", "collective", 0, size_of_file(handle));
  CALL(PMPI_File_sync(handle));
}

int MPI_File_write_at(MPI_File handle, MPI_Offset at, const void* data, int count,
                      MPI_Datatype type, MPI_Status* status) {
  file("file_write", "standard", bytes_of(count, type), size_of_file(handle));
  CALL(PMPI_File_write_at(handle, at, data, count, type, status));
}

int MPI_File_write_at_all(MPI_File handle, MPI_Offset at, const void* data, int count,
                          MPI_Datatype type, MPI_Status* status) {
  file("file_write", "collective", bytes_of(count, type), size_of_file(handle));
  CALL(PMPI_File_write_at_all(handle, at, data, count, type, status));
}

int MPI_File_read_at(MPI_File handle, MPI_Offset at, void* data, int count, MPI_Datatype type,
                     MPI_Status* status) {
  file("file_read", "standard", bytes_of(count, type), size_of_file(handle));
  CALL(PMPI_File_read_at(handle, at, data, count, type, status));
}
