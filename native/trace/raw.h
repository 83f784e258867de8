/* The raw trace: one file per rank, written by the preloaded tracer, read by hakaru_trace_convert
 * and hakaru.facts.traces.raw.
 *
 * Byte order: the writer's (`endian` tells). All offsets are bytes, everything is 8-byte aligned.
 * Plain C; valid C++ too.
 *
 * FOLDER: rank-0000000.hkr, rank-0000001.hkr, ... : one file for each rank of MPI_COMM_WORLD that
 * came through MPI_Init. spawned-<pid>-rank-0000000.hkr : ranks of a world that MPI_Comm_spawn
 * made; the header's world_id says which of them belong together.
 *
 * FILE: hakaru_raw_header | call table (call_count x hakaru_raw_call, at calls_offset) | counters
 * (call_count x hakaru_raw_counter, at counters_offset) | records, from records_offset on.
 *
 * RECORDS follow each other without gaps until (a) records_end when status != HAKARU_RAW_RUNNING,
 * else (b) a head whose size is 0, or (c) the end of the file. (b) and (c): the rank was killed;
 * everything before is complete, since the head of a record is stored last. A last record that runs
 * over the end of the file is damage.
 *
 * ORDER: the records of one thread stand in the order of its calls, which never overlap; those of
 * several threads are mixed. Calls made inside MPI calls (by MPI itself, or by a reduction
 * function) are not recorded. The tracer's own communication happens inside MPI_Init and
 * MPI_Finalize as recorded.
 *
 * REQUESTS may have begun while recording was off, or may never complete: neither is damage.
 *
 * RANKS are ranks of the record's communicator (for an inter-communicator: of the remote group),
 * never world ranks, unless the comment says so. MPI_PROC_NULL is HAKARU_RAW_NO_PEER: no message
 * was sent or received.
 *
 * BYTES: true bytes of the data: count x MPI_Type_size, without gaps. */
#ifndef HAKARU_TRACE_RAW_H
#define HAKARU_TRACE_RAW_H

#include <stdint.h>

#define HAKARU_RAW_MAGIC "HAKARUT1"
#define HAKARU_RAW_VERSION 4u
#define HAKARU_RAW_ENDIAN 0x01020304u

/* ---------------------------------------------------------------- header: 4096 bytes */

/* status */
#define HAKARU_RAW_RUNNING 0u   /* never changed: the process was killed, or is still running */
#define HAKARU_RAW_FINALIZED 1u /* MPI_Finalize returned: a clean end */
#define HAKARU_RAW_ABORTED 2u   /* MPI_Abort was called by this rank; status_code is its code */
#define HAKARU_RAW_EXITED 3u    /* exit() or _exit(status_code) without MPI_Finalize */

/* clock */
#define HAKARU_RAW_CLOCK_TSC 1u       /* invariant time stamp counter */
#define HAKARU_RAW_CLOCK_MONOTONIC 2u /* CLOCK_MONOTONIC, ns */

/* mpi_kind */
#define HAKARU_RAW_MPI_OTHER 0u
#define HAKARU_RAW_MPI_OPEN_MPI 1u
#define HAKARU_RAW_MPI_MPICH 2u

#define HAKARU_RAW_LONG_BYTES 16384u

/* One reading of both clocks: the ticks of the records, and CLOCK_MONOTONIC in ns, at the same
 * moment. */
typedef struct {
  uint64_t ticks;
  uint64_t monotonic_ns;
} hakaru_raw_calibration;

/* Offset to rank 0 of the world, from the exchange with the shortest round trip:
 * rank 0's CLOCK_MONOTONIC = this rank's CLOCK_MONOTONIC + offset_ns, at local monotonic_ns. */
typedef struct {
  uint32_t valid; /* 0: not measured; 1: measured; 2: same kernel as rank 0 (equal boot_id),
                     offset_ns is exactly 0 */
  uint32_t exchanges;
  uint64_t monotonic_ns;
  int64_t offset_ns;
  uint64_t round_trip_ns; /* the shortest; the offset is known to within half of it */
} hakaru_raw_synchronisation;

/* Time of a record: monotonic_ns = start.monotonic_ns + (ticks - start.ticks) * (last.monotonic_ns
 * - start.monotonic_ns) / (last.ticks - start.ticks). Ranks with equal boot_id and clock TSC read
 * the same counter: convert them all with one calibration (that of the lowest rank, say), so that
 * their order is exact. Over hosts add the offset, interpolated linearly in time between
 * synchronisation[0] (after MPI_Init) and [1] (before MPI_Finalize; after a crash only [0] is
 * valid). */
typedef struct {
  char magic[8];    /* HAKARU_RAW_MAGIC */
  uint32_t version; /* HAKARU_RAW_VERSION */
  uint32_t endian;  /* HAKARU_RAW_ENDIAN */
  uint64_t calls_offset, counters_offset, records_offset;
  uint32_t call_count;
  int32_t rank; /* in MPI_COMM_WORLD */
  int32_t world_size;
  uint32_t clock;
  uint32_t mpi_kind;
  int32_t thread_level; /* provided: 0 single, 1 funneled, 2 serialized, 3 multiple */
  uint64_t process_id;
  uint64_t start_realtime_ns; /* CLOCK_REALTIME at `start` */
  hakaru_raw_calibration start,
      last; /* `last` is renewed with every window of the file and at the end */
  hakaru_raw_synchronisation synchronisation[2];
  uint32_t mpi_version, mpi_subversion;
  uint32_t spawned; /* 1: a child of MPI_Comm_spawn */
  uint32_t threads; /* threads seen calling MPI */

  /* changes during the run */
  uint32_t status;
  int32_t status_code;
  uint64_t records_end;     /* valid when status != RUNNING */
  uint64_t records;         /* records written, meta records included */
  uint64_t lost_records;    /* calls not written (disk full, file size limit) or without items
                               (lost_reason EOVERFLOW); they are in the counters */
  uint64_t lost_from_ticks; /* time of the first one */
  uint64_t lost_reason;     /* errno of the failure */
  /* The call that this process was in when it was killed (thread level below multiple only; else
   * 0). */
  uint32_t open_call;     /* call + 1; 0: outside MPI */
  uint32_t wrapper_ticks; /* of the tracer between two calls, beside the counters' cost_ticks */
  uint64_t open_ticks;    /* when it entered */

  char host[256];
  char boot_id[64]; /* /proc/sys/kernel/random/boot_id: equal means one kernel, hence one clock */
  char program[512];
  char mpi_library[1024]; /* first line of MPI_Get_library_version */
  uint64_t world_id;      /* 0: the world that the launcher started; else the global_id of the
                             inter-communicator that MPI_Comm_spawn made with this world. 0 in a spawned
                             world: the MPI library did not pass it on */
  uint64_t allowed[16];  /* processors that the process might run on after MPI_Init, a bit each; all
                            zero: not known */
  uint64_t inside_ticks; /* of the tracer in a call, whatever that does: it takes so much longer */
  /* Memory of its own that the process used more than after MPI_Init, the most that was seen, at
   * least a page; 0: not known. */
  uint64_t memory_bytes;
  uint64_t warm_ticks; /* of a SENSED item when nothing was between; 0: nothing is sensed */
  /* Sent by calls that sent HAKARU_RAW_LONG_BYTES or more, where the kernel says whether the middle
   * of what they sent lies in a page larger than the smallest (Linux 6.7); and by those where it
   * does. */
  uint64_t long_bytes, large_page_bytes;
} hakaru_raw_header;

/* ---------------------------------------------------------------- call table: what record.call
 * means */

/* coverage */
#define HAKARU_RAW_COVERED 1u   /* recorded with its items */
#define HAKARU_RAW_UNCOVERED 2u /* only counted; no record is written */

/* collective: OTF2's collective operations by the same numbers (OTF2_CollectiveOp),
 * HAKARU_RAW_OTHER_COLLECTIVE for those that OTF2 has no number for (neighbourhood collectives,
 * collective I/O), or HAKARU_RAW_NOT_COLLECTIVE. The same number for blocking, non-blocking
 * (request != 0) and persistent forms. Communicator and window creation: 17 create, 21 create and
 * allocate; 18, 22: free. */
#define HAKARU_RAW_OTHER_COLLECTIVE 254u
#define HAKARU_RAW_NOT_COLLECTIVE 255u

typedef struct {
  char name[56]; /* "MPI_Send", ended by 0 */
  uint32_t coverage;
  uint16_t collective;
  uint16_t class_id; /* enum hakaru_raw_class */
} hakaru_raw_call;   /* 64 bytes */

enum hakaru_raw_class {
  HAKARU_CLASS_OTHER = 0,
  HAKARU_CLASS_POINT_TO_POINT = 1,
  HAKARU_CLASS_COMPLETION = 2, /* wait, test, cancel, request_free */
  HAKARU_CLASS_PROBE = 3,
  HAKARU_CLASS_COLLECTIVE = 4,
  HAKARU_CLASS_COMMUNICATOR = 5,
  HAKARU_CLASS_ONE_SIDED = 6,
  HAKARU_CLASS_FILE = 7,
  HAKARU_CLASS_ENVIRONMENT = 8, /* init, finalize, abort, pcontrol */
  HAKARU_CLASS_DATATYPE = 9     /* pack, unpack */
};

/* Kept up to date during the run, also when recording is off, records are lost, or a call is
 * uncovered. */
typedef struct {
  uint64_t calls;
  uint64_t bytes_sent;
  uint64_t bytes_received;
  uint64_t ticks; /* time inside the call; 0 for uncovered ones */
  /* The tracer's own work after calls, which lies between them and not inside: of every
   * HAKARU_RAW_COST_EACH-th call its ticks, without growth of the file, but for the samples beyond
   * HAKARU_RAW_COST_SPREAD times the least. */
  uint64_t cost_ticks, cost_samples, least_cost_ticks;
} hakaru_raw_counter;
#define HAKARU_RAW_COST_EACH 16u /* a power of 2 */
#define HAKARU_RAW_COST_SPREAD 4u

/* ---------------------------------------------------------------- records */

/* Head of every record, 8 bytes: bits 0-11 call, bits 12-31 length of the whole record in 8-byte
 * words. */
#define HAKARU_RAW_META \
  4095u /* `call` of a meta record: `duration` is then an enum hakaru_raw_meta */
#define HAKARU_RAW_CALL(head) ((head)&0xfffu)
#define HAKARU_RAW_WORDS(head) ((head) >> 12)
#define HAKARU_RAW_LONG                                                     \
  0xffffffffu /* `duration` did not fit: the first item is HAKARU_ITEM_LONG \
               */

/* A call: entered at `enter`, left at `enter + duration`; then items up to the record's length. */
typedef struct {
  uint32_t head;
  uint32_t duration; /* ticks */
  uint64_t enter;    /* ticks */
} hakaru_raw_record;

/* First word of every item: bits 0-7 kind, bits 8-11 flags, bits 12-31 communicator, window or file
 * (local id of its definition; ids are never used twice in a file). `request` is unique among the
 * requests of a file (modulo 2^32), 0: none. */
typedef struct {
  uint32_t what;
  uint32_t request;
} hakaru_raw_item;
#define HAKARU_RAW_LOOK_NS 1000000u
#define HAKARU_RAW_LOOKED_AT_NS 20000u
#define HAKARU_RAW_SENSED_NS 5000u
#define HAKARU_ITEM_KIND(what) ((what)&0xffu)
#define HAKARU_ITEM_FLAGS(what) (((what) >> 8) & 0xfu)
#define HAKARU_ITEM_OBJECT(what) ((what) >> 12)

#define HAKARU_RAW_NO_PEER (-1) /* MPI_PROC_NULL */
#define HAKARU_RAW_ANY (-2)     /* wildcard of a posted receive: MPI_ANY_SOURCE or MPI_ANY_TAG */
#define HAKARU_RAW_NO_ROOT \
  (-1) /* a collective without root; in inter-communicators: MPI_PROC_NULL */
#define HAKARU_RAW_THIS_ROOT (-3) /* inter-communicator: MPI_ROOT */

/* flags of SEND, ISEND (bits 0-1) */
#define HAKARU_SEND_STANDARD 0u
#define HAKARU_SEND_SYNCHRONOUS 1u
#define HAKARU_SEND_BUFFERED 2u
#define HAKARU_SEND_READY 3u
/* flags of RECV, RECV_DONE */
#define HAKARU_RECV_ANY_SOURCE                                      \
  1u /* was posted with the wildcard; the item holds the actual one \
      */
#define HAKARU_RECV_ANY_TAG 2u
#define HAKARU_RECV_MATCHED 4u /* MPI_Mrecv, MPI_Imrecv */
/* MPI_Isendrecv of MPICH: its status tells nothing, so that peer and tag are as wanted (perhaps
 * HAKARU_RAW_ANY) and bytes are those of the buffer. */
#define HAKARU_RECV_UNTOLD 8u
/* flags of every ISEND, IRECV: */
#define HAKARU_REQUEST_PERSISTENT 8u /* from MPI_Start: every start has a new request number */

enum hakaru_raw_item_kind {
  /* {hakaru_raw_item, uint64_t exit_ticks}: 16 bytes; always the first item */
  HAKARU_ITEM_LONG = 1,

  /* hakaru_raw_message, 24 bytes. Object: communicator. */
  HAKARU_ITEM_SEND = 2,  /* blocking send */
  HAKARU_ITEM_RECV = 3,  /* blocking receive: actual source, tag, bytes */
  HAKARU_ITEM_ISEND = 4, /* request begins */
  HAKARU_ITEM_IRECV = 5, /* request begins: wanted source and tag (or ANY), bytes of the buffer */
  HAKARU_ITEM_RECV_DONE =
      6,                  /* a receive request completed in this call: actual source, tag, bytes */
  HAKARU_ITEM_PROBED = 7, /* a probe found this message (it is received later) */

  /* hakaru_raw_item alone, 8 bytes. Object: communicator. */
  HAKARU_ITEM_SEND_DONE = 8, /* a send request completed in this call */
  HAKARU_ITEM_NOT_DONE =
      9, /* MPI_Test or MPI_Request_get_status: this request was not complete yet */
  HAKARU_ITEM_CANCELLED = 10, /* completed in this call, but cancelled: no message */
  HAKARU_ITEM_CANCEL = 11,    /* MPI_Cancel was called for it */
  HAKARU_ITEM_FREED = 12, /* MPI_Request_free of an active request: its completion is not seen */
  HAKARU_ITEM_COLLECTIVE_DONE = 13, /* a non-blocking collective completed in this call */
  HAKARU_ITEM_RMA_DONE = 14,   /* a request of one-sided communication completed (object: window) */
  HAKARU_ITEM_FILE_DONE = 15,  /* hakaru_raw_file (object: file): bytes are what was transferred */
  HAKARU_ITEM_OTHER_DONE = 16, /* a generalized request or the like */

  /* hakaru_raw_collective, 32 bytes. Object: communicator. request != 0: non-blocking, completed by
   * COLLECTIVE_DONE. The operation is the `collective` of the call's table entry; creation of
   * communicators, windows and files is collective too. */
  HAKARU_ITEM_COLLECTIVE = 17,
  /* hakaru_raw_counts, variable: follows COLLECTIVE of vector and neighbourhood forms: bytes for
     each peer. */
  HAKARU_ITEM_SENT_TO = 18,
  HAKARU_ITEM_RECEIVED_FROM = 19,

  /* {hakaru_raw_item}, 8 bytes: object is the communicator that this call made. Its definition
   * stands before this record; that of MPI_Comm_idup stands after the record in which its request
   * completes (COLLECTIVE_DONE). */
  HAKARU_ITEM_COMMUNICATOR_MADE = 20,
  HAKARU_ITEM_COMMUNICATOR_FREED = 21,

  /* one-sided. Object: window. */
  HAKARU_ITEM_WINDOW_MADE = 22,  /* 8 bytes */
  HAKARU_ITEM_WINDOW_FREED = 23, /* 8 bytes */
  HAKARU_ITEM_RMA =
      24, /* hakaru_raw_rma, 32 bytes; request != 0: request form, completed by RMA_DONE */
  HAKARU_ITEM_RMA_SYNC = 25, /* hakaru_raw_rma_sync, 16 bytes */
  HAKARU_ITEM_GROUP = 26, /* hakaru_raw_counts of int32: ranks (of the window's communicator) of a
                             start or post group */

  /* MPI-IO. Object: file. */
  HAKARU_ITEM_FILE_OPENED = 27, /* 8 bytes */
  HAKARU_ITEM_FILE_CLOSED = 28, /* 8 bytes */
  HAKARU_ITEM_FILE =
      29, /* hakaru_raw_file, 32 bytes; request != 0: non-blocking, completed by FILE_DONE */

  /* {hakaru_raw_item}: `request` is the string id of the name. Regions nest properly or the reader
     must say so. */
  HAKARU_ITEM_PHASE_BEGIN = 30,
  HAKARU_ITEM_PHASE_END = 31,
  /* MPI_Pcontrol(0) and (1 or 2) without name: no calls are recorded between RECORDING_OFF and
     RECORDING_ON */
  HAKARU_ITEM_RECORDING_OFF = 32,
  HAKARU_ITEM_RECORDING_ON = 33,

  /* hakaru_raw_remote, 40 bytes: PUT, GET or the wait for a flag, as
   * native/parallel/remote_operation.h tells them. Object: a window of kind 5, which stands for all
   * memories of a communicator. item.request: enum hakaru_raw_remote_kind. An acknowledgement is an
   * RMA_SYNC (flush all) of that window, a message through the ring buffer a SEND or RECV. */
  HAKARU_ITEM_REMOTE = 34,

  /* {hakaru_raw_item}, follows a SEND, RECV, ISEND, IRECV or RECV_DONE whose data lie in pieces
   * with gaps between them: `request` is the mean length of a piece in bytes, at least 1. */
  HAKARU_ITEM_PIECES = 35,

  /* {hakaru_raw_item, uint64_t ns}: for so long another had the processor during this call, or
   * little before: it is asked after calls of HAKARU_RAW_LOOKED_AT_NS and more, and before those
   * that come so much later than usual, or HAKARU_RAW_LOOK_NS after it was last asked. Of programs
   * in which one thread calls MPI. */
  HAKARU_ITEM_DELAYED = 36,

  /* {hakaru_raw_item, uint64_t ticks}: for so long before this call the tracer read some lines of
   * memory that it had read before the last such call, which tells how cold the caches are
   * (caches.h). Of calls that begin HAKARU_RAW_SENSED_NS and more after the last ended, of programs
   * in which one thread calls MPI. */
  HAKARU_ITEM_SENSED = 37
};

typedef struct {
  hakaru_raw_item item;
  int32_t target; /* rank of the window's communicator; wait for a flag: HAKARU_RAW_NO_PEER */
  int32_t received_flag, sent_flag;
  uint32_t reserved;
  uint64_t bytes; /* wait for a flag: how many raises */
  uint64_t items; /* of a strided transfer; 0: contiguous */
} hakaru_raw_remote;

/* The numbers of native/parallel/remote_operation.h. */
enum hakaru_raw_remote_kind {
  HAKARU_RAW_REMOTE_PUT = 1,
  HAKARU_RAW_REMOTE_GET = 2,
  HAKARU_RAW_REMOTE_FLAG_WAIT = 3
};

typedef struct {
  hakaru_raw_item item;
  int32_t peer, tag;
  uint64_t bytes;
} hakaru_raw_message;

/* bytes_sent, bytes_received: what the arguments describe on this rank, each piece of a buffer
 * once: broadcast of n bytes: n sent on the root, n received elsewhere; allreduce: n and n; gather:
 * n sent (also by the root to itself), ranks x n received on the root; allgather: n, ranks x n;
 * alltoall: ranks x n both; alltoallv: sums of the counts. MPI_IN_PLACE counts as if the data had
 * been passed. */
typedef struct {
  hakaru_raw_item item;
  int32_t root;
  uint32_t flags; /* HAKARU_COLLECTIVE_* */
  uint64_t bytes_sent, bytes_received;
} hakaru_raw_collective;
#define HAKARU_COLLECTIVE_IN_PLACE 1u
/* from MPI_Start: every start has a new request number, and flags >> HAKARU_COLLECTIVE_CALL_SHIFT
 * is the table's number of the call that made the request (MPI_Allreduce_init): the operation is
 * that one's. */
#define HAKARU_COLLECTIVE_PERSISTENT 2u
#define HAKARU_COLLECTIVE_CALL_SHIFT 8

/* `count` entries of 4 bytes (flags 0) or 8 bytes (flags 1), padded with zeros to 8 bytes. Entry i
 * is for rank i of the communicator, or for neighbour i in neighbourhood collectives. */
typedef struct {
  uint32_t what;
  uint32_t count;
} hakaru_raw_counts;
#define HAKARU_COUNTS_WIDE 1u

typedef struct {
  hakaru_raw_item item;
  int32_t target;     /* rank of the window's communicator */
  uint32_t operation; /* enum hakaru_raw_rma_operation */
  uint64_t bytes_put; /* origin -> target */
  uint64_t bytes_got; /* target -> origin */
} hakaru_raw_rma;

enum hakaru_raw_rma_operation {
  HAKARU_RMA_PUT = 1,
  HAKARU_RMA_GET = 2,
  HAKARU_RMA_ACCUMULATE = 3,
  HAKARU_RMA_GET_ACCUMULATE = 4,
  HAKARU_RMA_FETCH_AND_OP = 5,
  HAKARU_RMA_COMPARE_AND_SWAP = 6
};

/* item.request holds enum hakaru_raw_sync. */
typedef struct {
  hakaru_raw_item item;
  int32_t target;  /* lock, unlock, flush; -1: all targets or none */
  uint32_t detail; /* lock: 1 exclusive, 2 shared; fence, post, start: the assertion */
} hakaru_raw_rma_sync;

enum hakaru_raw_sync {
  HAKARU_SYNC_FENCE = 1,
  HAKARU_SYNC_POST = 2,     /* a GROUP item follows */
  HAKARU_SYNC_START = 3,    /* a GROUP item follows */
  HAKARU_SYNC_COMPLETE = 4, /* for the group of the last START */
  HAKARU_SYNC_WAIT = 5,     /* for the group of the last POST */
  HAKARU_SYNC_TEST = 6,     /* MPI_Win_test: detail 1 when the exposure ended, else 0 */
  HAKARU_SYNC_LOCK = 7,
  HAKARU_SYNC_UNLOCK = 8,
  HAKARU_SYNC_LOCK_ALL = 9,
  HAKARU_SYNC_UNLOCK_ALL = 10,
  HAKARU_SYNC_FLUSH = 11,
  HAKARU_SYNC_FLUSH_LOCAL = 12,
  HAKARU_SYNC_FLUSH_ALL = 13,
  HAKARU_SYNC_FLUSH_LOCAL_ALL = 14,
  HAKARU_SYNC_SYNC = 15
};

typedef struct {
  hakaru_raw_item item;
  uint32_t operation; /* enum hakaru_raw_file_operation */
  uint32_t flags;     /* HAKARU_FILE_* */
  int64_t offset; /* in the units of the call (etypes of the view); -1: the file's own or the shared
                     pointer */
  uint64_t bytes; /* asked for; blocking forms: transferred as the status says */
} hakaru_raw_file;

enum hakaru_raw_file_operation {
  HAKARU_FILE_READ = 1,
  HAKARU_FILE_WRITE = 2,
  HAKARU_FILE_SEEK = 3, /* offset is the argument; flags bits 8-9: 0 set, 1 current, 2 end */
  HAKARU_FILE_SYNC = 4,
  HAKARU_FILE_SET_SIZE = 5, /* bytes: the size; also preallocate */
  HAKARU_FILE_SET_VIEW = 6,
  HAKARU_FILE_DELETE = 7 /* object 0 */
};
#define HAKARU_FILE_COLLECTIVE 1u
#define HAKARU_FILE_SHARED_POINTER 2u
#define HAKARU_FILE_SPLIT_BEGIN 4u /* ..._begin: bytes asked for */
#define HAKARU_FILE_SPLIT_END 8u   /* ..._end: bytes transferred */

/* ---------------------------------------------------------------- meta records: head, kind, then
 */

enum hakaru_raw_meta {
  HAKARU_META_STRING = 1,       /* hakaru_raw_string */
  HAKARU_META_COMMUNICATOR = 2, /* hakaru_raw_communicator */
  HAKARU_META_COMMUNICATOR_NAME =
      3,                  /* {meta head, uint32_t id, uint32_t string}: MPI_Comm_set_name */
  HAKARU_META_WINDOW = 4, /* hakaru_raw_window */
  HAKARU_META_FILE = 5,   /* hakaru_raw_file_definition */
  HAKARU_META_THREAD = 6, /* {meta head, uint32_t thread, uint32_t 0}: the following calls are by
                             this thread, 0 at first */
  HAKARU_META_FLUSH = 7   /* hakaru_raw_flush: stands before the record that needed the room */
};

typedef struct {
  uint32_t head;
  uint32_t kind;
} hakaru_raw_meta_head;

typedef struct {
  hakaru_raw_meta_head meta;
  uint32_t id;     /* from 1 on */
  uint32_t length; /* bytes, without the ending 0 */
  /* char text[]: padded with zeros to 8 bytes, at least one */
} hakaru_raw_string;

/* The tracer made room in its file: after the call of the following record, before the next one. */
typedef struct {
  hakaru_raw_meta_head meta;
  uint64_t begin, end; /* ticks */
} hakaru_raw_flush;

/* Local id 0 is MPI_COMM_WORLD, 1 is MPI_COMM_SELF; both are defined at the start of every file.
 * One communicator has the same global_id in all its members' files (and no other has it): put the
 * files together by it. Every member's file tells its own rank (own_rank <-> header.rank); the
 * world ranks of all members are also listed by the members' encodings below, the explicit list
 * only in the file of the communicator's rank 0. */
typedef struct {
  hakaru_raw_meta_head meta;
  uint32_t id;
  uint32_t kind; /* enum hakaru_raw_communicator_kind */
  uint64_t global_id;
  uint32_t parent; /* local id + 1 of the communicator it was made from; 0: none */
  int32_t own_rank;
  int32_t size;        /* of the local group */
  int32_t remote_size; /* inter-communicators; else 0 */
  uint32_t members;    /* enum hakaru_raw_members: local group */
  int32_t first, stride;
  uint32_t remote_members;        /* enum hakaru_raw_members, only NONE or LIST; of an
                                     intra-communicator HAKARU_RAW_GRID or 0 */
  uint32_t sources, destinations; /* neighbours of a process topology */
  /* int32_t world_ranks[size] when members is LIST; int32_t remote_world_ranks[remote_size] when
   * remote_members is LIST; int32_t source_ranks[sources]; int32_t destination_ranks[destinations]
   * (ranks of this communicator, NO_PEER in Cartesian borders); padded to 8 bytes */
} hakaru_raw_communicator;

enum hakaru_raw_communicator_kind {
  HAKARU_COMMUNICATOR_WORLD = 0,
  HAKARU_COMMUNICATOR_SELF = 1,
  HAKARU_COMMUNICATOR_INTRA = 2,
  HAKARU_COMMUNICATOR_INTER = 3,
  HAKARU_COMMUNICATOR_OUTSIDE = 4, /* with ranks of another world that are not in this trace, as far
                                      as the tracer knows (connect, join) */
  /* With ranks of several worlds of this trace, by MPI_Comm_spawn and what was made from its
     inter-communicator. No list: each member's file tells its own rank. */
  HAKARU_COMMUNICATOR_JOINED_INTER = 5, /* `first`: 0 on the side that spawned, 1 on the spawned */
  HAKARU_COMMUNICATOR_JOINED_INTRA = 6
};

#define HAKARU_RAW_GRID 256u /* its topology is Cartesian; older traces never say so */

enum hakaru_raw_members {
  HAKARU_MEMBERS_NONE = 0,  /* in the file of rank 0 of this communicator (or unknown) */
  HAKARU_MEMBERS_RANGE = 1, /* world rank of member i = first + i * stride */
  HAKARU_MEMBERS_LIST = 2
};

typedef struct {
  hakaru_raw_meta_head meta;
  uint32_t id;        /* from 1 on */
  uint32_t kind;      /* 1 create, 2 allocate, 3 allocate_shared, 4 create_dynamic, 5 PUT and GET */
  uint64_t global_id; /* equal in all files of the window's communicator */
  uint32_t communicator; /* local id */
  uint32_t displacement_unit;
  uint64_t bytes; /* of this rank's part */
} hakaru_raw_window;

typedef struct {
  hakaru_raw_meta_head meta;
  uint32_t id;           /* from 1 on */
  uint32_t communicator; /* local id */
  uint32_t name;         /* string id */
  uint32_t mode; /* bits: 1 read, 2 write, 4 create, 8 append, 16 exclusive, 32 delete on close */
  uint64_t global_id;
} hakaru_raw_file_definition;

#endif
