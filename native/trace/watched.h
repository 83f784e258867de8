/* What the preloaded watcher writes of a process, beside the raw traces (raw.h): samples of its
 * threads, and its use of files.
 *
 * FOLDER: HOST-PID-NUMBER.hks (samples) and HOST-PID-NUMBER.hkf (files), each made when there is
 * the first thing to say. NUMBER counts from 0 where a process id comes again.
 *
 * Byte order: the writer's (`endian` tells). Everything is 8-byte aligned. Times are ns of
 * CLOCK_REALTIME, durations ns. Plain C; valid C++ too.
 *
 * Both files begin with hakaru_watch_header. */
#ifndef HAKARU_TRACE_WATCHED_H
#define HAKARU_TRACE_WATCHED_H

#include <stdint.h>

#define HAKARU_WATCH_SAMPLES "HAKARUS1"
#define HAKARU_WATCH_FILES "HAKARUF1"
#define HAKARU_WATCH_VERSION 1u
#define HAKARU_WATCH_ENDIAN 0x01020304u

/* status */
#define HAKARU_WATCH_RUNNING 0u /* killed, or still running */
#define HAKARU_WATCH_ENDED 1u   /* exit, _exit, MPI_Abort or a clean end */

typedef struct {
  char magic[8];
  uint32_t version, endian;
  uint32_t header_bytes; /* where the first record stands */
  uint32_t process_id, parent_id;
  int32_t rank; /* as the launcher's environment says; -1: it says none. A WORLD record knows better
                 */
  uint64_t start_ns;
  uint64_t period_ns; /* CPU time of a thread between two samples; 0 in .hkf */
  /* .hkf only, renewed in place */
  uint32_t status;
  int32_t world_size;   /* 0: not known */
  uint64_t end_ns;      /* valid when status is not RUNNING */
  uint64_t records_end; /* the first byte behind the last record */
  uint64_t lost_calls;  /* not recorded: a signal handler's calls inside the recording of another */
  uint64_t lost_records; /* no room (lost_reason) */
  uint64_t lost_reason;  /* errno */
  uint64_t reserved[5];
  char host[128];
  char boot_id[64];
  char program[696];
} hakaru_watch_header; /* 1024 bytes */

/* Head of every record: bits 0-7 kind, bits 8-31 its length in 8-byte words, head included. In .hks
 * `check` is the upper half of FNV-1a over the record's words, the head with check 0 among them;
 * in .hkf it is 0. */
typedef struct {
  uint32_t head;
  uint32_t check;
} hakaru_watch_head;
#define HAKARU_WATCH_KIND(head) ((head)&0xffu)
#define HAKARU_WATCH_WORDS(head) ((head) >> 8)

enum hakaru_watch_kind {
  /* both files */
  HAKARU_WATCH_SKIP = 1,  /* nothing: room that was left */
  HAKARU_WATCH_PHASE = 2, /* hakaru_watch_text: number from 1 on */
  HAKARU_WATCH_WORLD = 3, /* hakaru_watch_world: MPI_Init told the rank */
  /* .hks */
  HAKARU_WATCH_MODULE = 10, /* hakaru_watch_module: from here on what lies at these addresses */
  HAKARU_WATCH_THREAD = 11, /* hakaru_watch_thread */
  HAKARU_WATCH_CHAIN = 12,  /* hakaru_watch_chain */
  HAKARU_WATCH_SAMPLE = 13, /* hakaru_watch_sample */
  HAKARU_WATCH_END = 14,    /* hakaru_watch_end */
  HAKARU_WATCH_ASIDE = 15,  /* head alone: the program took the signal; no samples follow */
  /* .hkf */
  HAKARU_WATCH_FILE = 20,
  HAKARU_WATCH_OPENING = 21,
  HAKARU_WATCH_ROW = 22,
  HAKARU_WATCH_RUN = 23,
  HAKARU_WATCH_CHANGE = 24,
  HAKARU_WATCH_NAME = 25 /* hakaru_watch_text: file `number` is called this now */
};

typedef struct {
  hakaru_watch_head head;
  uint32_t number, length; /* bytes of text, which follows, padded with zeros */
} hakaru_watch_text;

typedef struct {
  hakaru_watch_head head;
  int32_t rank, size;
  uint64_t world_id; /* as in raw.h: 0 for the world that the launcher started */
} hakaru_watch_world;

/* ---------------------------------------------------------------- samples
 *
 * Appended by write(2), a record each: a killed process leaves all of them; a last record that is
 * not complete is where the disk was full or the process was killed. */

typedef struct {
  hakaru_watch_head head;
  uint64_t begin, end;     /* addresses */
  uint64_t bias;           /* address = bias + address in the file */
  uint64_t bytes, time_ns; /* size and time of change of the file when it was met; 0: not known */
  uint32_t build_id_length, path_length;
  /* the build id, padded to 8 bytes; the path, padded to 8 bytes */
} hakaru_watch_module;

typedef struct {
  hakaru_watch_head head;
  uint32_t number; /* 0: the first of the process */
  uint32_t kernel_id;
  char name[16];
} hakaru_watch_thread;

/* Callers, the nearest first: addresses inside the calling instructions. */
typedef struct {
  hakaru_watch_head head;
  uint32_t number;
  uint32_t flags; /* HAKARU_CHAIN_* */
  /* uint64_t addresses[] */
} hakaru_watch_chain;
#define HAKARU_CHAIN_CUT 1u    /* deeper than HAKARU_CHAIN_MOST, which the nearest are */
#define HAKARU_CHAIN_NONE 2u   /* the stack could not be walked */
#define HAKARU_CHAIN_MOST 256u /* addresses */

typedef struct {
  hakaru_watch_head head;
  uint64_t time_ns;
  uint64_t address; /* the instruction that was interrupted */
  uint32_t chain, thread;
  uint32_t phase;  /* number, 0: none */
  uint32_t weight; /* periods that it stands for */
} hakaru_watch_sample;

typedef struct {
  hakaru_watch_head head;
  uint64_t time_ns;
  uint64_t cpu_ns; /* of all threads of the process */
  uint64_t lost;   /* samples that could not be written */
  uint64_t reason; /* errno */
} hakaru_watch_end;

/* ---------------------------------------------------------------- files
 *
 * Mapped: what stands there is kept when the process is killed. The head of a record is stored
 * last. Records up to records_end, or up to a head of 0. */

/* type */
#define HAKARU_FILE_TYPE_NONE 0u /* number 0: calls that belong to no file that was opened */
#define HAKARU_FILE_REGULAR 1u
#define HAKARU_FILE_STREAM 2u /* standard input, output, error */
#define HAKARU_FILE_SYSTEM 3u /* all below /proc, /sys and /dev together */
#define HAKARU_FILE_OTHER 4u  /* terminals, pipes, devices */
#define HAKARU_FILE_MANY 5u   /* all that came after HAKARU_FILES_MOST */
#define HAKARU_FILES_MOST 4096u
#define HAKARU_OPENINGS_MOST 1024u /* of one file */

/* flags: why the places of its bytes are not all known */
#define HAKARU_PLACES_MAPPED 1u /* mapped for shared writing: stores are not seen */
#define HAKARU_PLACES_UNTOLD \
  2u /* shared file pointer, threads at one descriptor, copies inside the kernel */
#define HAKARU_PLACES_MANY 4u   /* more openings or runs than are kept */
#define HAKARU_PLACES_BY_MPI 8u /* written by MPI_File_* calls: those below them do not count */

typedef struct {
  hakaru_watch_head head;
  uint32_t number, type;
  uint64_t device, node; /* st_dev, st_ino */
  uint32_t flags, path_length;
  uint64_t first_ns;    /* when this process opened it first */
  uint64_t first_bytes; /* size then, after O_TRUNC */
  uint64_t last_bytes;  /* size when it was closed last */
  /* the path, padded to 8 bytes */
} hakaru_watch_file;

/* From the first write after opening a file to its close. */
typedef struct {
  hakaru_watch_head head;
  uint32_t number, file;
  uint64_t open_ns, close_ns; /* close 0: not closed */
} hakaru_watch_opening;

enum hakaru_watch_layer {
  HAKARU_LAYER_POSIX = 0,
  HAKARU_LAYER_STDIO = 1,
  HAKARU_LAYER_MPI = 2,  /* MPI_File_* */
  HAKARU_LAYER_BELOW = 3 /* POSIX calls inside of MPI calls */
};

enum hakaru_watch_operation {
  HAKARU_WATCH_OPEN = 0,
  HAKARU_WATCH_CLOSE = 1,
  HAKARU_WATCH_READ = 2,
  HAKARU_WATCH_WRITE = 3,
  HAKARU_WATCH_SEEK = 4,
  HAKARU_WATCH_SYNC = 5,
  HAKARU_WATCH_TRUNCATE = 6,
  HAKARU_WATCH_MAP = 7,
  HAKARU_WATCH_STAT = 8,
  HAKARU_WATCH_UNLINK = 9,
  HAKARU_WATCH_RENAME = 10,
  HAKARU_WATCH_OPERATIONS = 11
};

/* Sums, renewed with every call. */
typedef struct {
  hakaru_watch_head head;
  uint32_t file, phase;
  uint16_t layer, operation;
  uint32_t reserved;
  uint64_t calls, failed, bytes, time;
} hakaru_watch_row;

/* Bytes that were written: for i < count [begin + i stride, begin + i stride + length). */
typedef struct {
  hakaru_watch_head head;
  uint32_t opening, layer;
  uint64_t begin, length, stride, count;
  uint64_t first_ns, last_ns;
} hakaru_watch_run;

/* change */
#define HAKARU_CHANGE_SIZE \
  1u /* ftruncate, O_TRUNC, MPI_File_set_size: the file has `value` bytes now */
#define HAKARU_CHANGE_UNLINK 2u
typedef struct {
  hakaru_watch_head head;
  uint32_t file, change;
  uint64_t time_ns, value;
} hakaru_watch_change;

#endif
