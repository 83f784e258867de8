/* The bytes of MPI-IO by their places in the file: views and pointers into intervals, for the
 * watcher
 * (../watch). Collective buffering lets other ranks write than those whose data it is, so places
 * are taken from the calls of the program, not from what the MPI library does below them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../watch/uses.h"
#include "post.h"
#include "real.h"

__thread int hk_inside_file;

#define MOST_PIECES 8192u /* of one call */

struct hk_places {
  hkw_use use;
  uint64_t unit;    /* bytes of an etype */
  MPI_Offset start; /* displacement of the view */
  int contiguous;   /* the view has no holes */
  int first;        /* rank 0 of the file's communicator: it speaks for collective changes */
};

static void read_view(struct hk_places* p, MPI_File file) {
  MPI_Datatype unit, type;
  MPI_Count bytes = 0, size = 0, low = 0, extent = 0;
  char representation[MPI_MAX_DATAREP_STRING];
  PMPI_File_get_view(file, &p->start, &unit, &type, representation);
  PMPI_Type_size_x(unit, &bytes);
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent_x(type, &low, &extent);
  p->unit = bytes > 0 ? (uint64_t)bytes : 1;
  p->contiguous = low == 0 && size == extent; /* displacements in a file never go back */
  MPI_Datatype types[2] = {unit, type};
  for (int i = 0; i < 2; i++) {
    int integers, addresses, inner, combiner = MPI_COMBINER_NAMED;
    PMPI_Type_get_envelope(types[i], &integers, &addresses, &inner, &combiner);
    if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&types[i]);
  }
}

static uint64_t as_ns(uint64_t ticks) {
  const hakaru_raw_calibration* start = &hk.header->start;
  const double passed = (double)(hk_monotonic_ns() - start->monotonic_ns);
  return (uint64_t)((double)ticks * passed / (double)(hk_ticks() - start->ticks)) + 1;
}

static const char* without_prefix(const char* name) {
  const char* colon = strchr(name, ':');
  return colon && colon - name < 8 && !memchr(name, '/', (size_t)(colon - name)) ? colon + 1 : name;
}

void hk_place_open(hk_object* object, MPI_File file, const char* name, int mode, uint64_t ticks) {
  char link[40], path[4096];
  struct stat about;
  if (!hkw.files) return;
  long opened = syscall(SYS_openat, AT_FDCWD, without_prefix(name), O_PATH | O_CLOEXEC, 0);
  if (opened < 0) return;
  snprintf(link, sizeof link, "/proc/self/fd/%ld", opened);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  int known = length > 0 && syscall(SYS_newfstatat, (int)opened, "", &about, AT_EMPTY_PATH) == 0;
  syscall(SYS_close, (int)opened);
  struct hk_places* p = known ? calloc(1, sizeof *p) : NULL;
  if (!p) return;
  path[length] = 0;
  hkw_begin_use(&p->use, path, &about, mode & MPI_MODE_RDONLY ? HKW_READS : HKW_WRITES | HKW_READS);
  hkw_doubt(&p->use, HAKARU_PLACES_BY_MPI);
  hkw_count(&p->use, HAKARU_LAYER_MPI, HAKARU_WATCH_OPEN, 0, 0, as_ns(ticks));
  p->first = object->communicator->rank == 0;
  read_view(p, file);
  object->places = p;
}

void hk_place_close(hk_object* object, uint64_t ticks) {
  struct hk_places* p = object->places;
  if (!p) return;
  hkw_count(&p->use, HAKARU_LAYER_MPI, HAKARU_WATCH_CLOSE, 0, 0, as_ns(ticks));
  hkw_end_use(&p->use, hkw_bytes_now(&p->use));
  object->places = NULL;
  free(p);
}

static uint64_t byte_of(MPI_File file, uint64_t unit) {
  MPI_Offset at = 0;
  PMPI_File_get_byte_offset(file, (MPI_Offset)unit, &at);
  return (uint64_t)at;
}

/* Units from `from` on that lie next to each other, at most `most`: places never go back, so n
 * units are next to each other when the last lies (n - 1) units behind the first. */
static uint64_t adjacent(MPI_File file, const struct hk_places* p, uint64_t from, uint64_t most) {
  const uint64_t begin = byte_of(file, from);
  uint64_t good = 1, tried = 2;
  while (tried <= most && byte_of(file, from + tried - 1) == begin + (tried - 1) * p->unit) {
    good = tried;
    tried *= 2;
  }
  uint64_t bad = tried <= most ? tried : most + 1;
  while (bad - good > 1) {
    const uint64_t middle = good + (bad - good) / 2;
    if (byte_of(file, from + middle - 1) == begin + (middle - 1) * p->unit)
      good = middle;
    else
      bad = middle;
  }
  return good;
}

/* `offset` in units of the view. */
static void wrote(struct hk_places* p, MPI_File file, uint64_t offset, uint64_t bytes) {
  if (p->contiguous)
    return hkw_wrote(&p->use, HAKARU_LAYER_MPI, (uint64_t)p->start + offset * p->unit, bytes);
  uint64_t left = bytes / p->unit;
  if (bytes % p->unit) hkw_doubt(&p->use, HAKARU_PLACES_UNTOLD); /* a part of an etype */
  for (unsigned piece = 0; left > 0; piece++) {
    if (piece == MOST_PIECES) return hkw_doubt(&p->use, HAKARU_PLACES_MANY);
    const uint64_t count = adjacent(file, p, offset, left);
    hkw_wrote(&p->use, HAKARU_LAYER_MPI, byte_of(file, offset), count * p->unit);
    offset += count;
    left -= count;
  }
}

static void write_at(struct hk_places* p, MPI_File file, uint32_t flags, int64_t offset,
                     uint64_t bytes) {
  if (flags & HAKARU_FILE_SPLIT_END || bytes == 0) return;
  if (flags & HAKARU_FILE_SHARED_POINTER) return hkw_doubt(&p->use, HAKARU_PLACES_UNTOLD);
  if (offset < 0) { /* the file's own pointer, which stands behind the bytes now */
    MPI_Offset now = 0;
    PMPI_File_get_position(file, &now);
    offset = (int64_t)now - (int64_t)(bytes / p->unit);
    if (flags & HAKARU_FILE_SPLIT_BEGIN || offset < 0)
      return hkw_doubt(&p->use, HAKARU_PLACES_UNTOLD);
  }
  wrote(p, file, (uint64_t)offset, bytes);
}

void hk_place_file(hk_object* object, MPI_File file, uint32_t operation, uint32_t flags,
                   int64_t offset, uint64_t bytes, uint64_t ticks) {
  static const int8_t operations[] = {-1,
                                      HAKARU_WATCH_READ,
                                      HAKARU_WATCH_WRITE,
                                      HAKARU_WATCH_SEEK,
                                      HAKARU_WATCH_SYNC,
                                      HAKARU_WATCH_TRUNCATE,
                                      HAKARU_WATCH_SEEK,
                                      HAKARU_WATCH_UNLINK};
  struct hk_places* p = object->places;
  if (!p || !hkw.files) return;
  const int moves = operation == HAKARU_FILE_READ || operation == HAKARU_FILE_WRITE;
  const uint64_t counted = moves && !(flags & HAKARU_FILE_SPLIT_END) ? bytes : 0;
  hkw_count(&p->use, HAKARU_LAYER_MPI, (uint32_t)operations[operation], 0, counted, as_ns(ticks));
  if (operation == HAKARU_FILE_WRITE) write_at(p, file, flags, offset, bytes);
  if (operation == HAKARU_FILE_SET_VIEW) read_view(p, file);
  if (operation == HAKARU_FILE_SET_SIZE &&
      p->first) /* others may have returned from it, and written */
    hkw_sized(&p->use, bytes, hkw_now(CLOCK_REALTIME) - as_ns(ticks));
}
