/* C streams. Their own reads and writes happen inside the C library, where no wrapper comes
 * between: so the calls on the stream are wrapped. Functions that move single characters are not,
 * since time stamps would cost more than they do: what they wrote is found by where the stream
 * stands. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

#include "uses.h"

#undef fread_unlocked
#undef fwrite_unlocked

static int (*real_fflush)(FILE*);
static off_t (*real_ftello)(FILE*);

static hkw_use* use_of(FILE* stream) {
  return hkw.files && stream ? hkw_use_of(fileno_unlocked(stream)) : NULL;
}

static int only_writes(const hkw_use* use) {
  return use->flags & HKW_WRITES && !(use->flags & HKW_READS);
}

static void put(hkw_use* use, uint64_t bytes, uint64_t time, int failed) {
  hkw_count(use, HAKARU_LAYER_STDIO, HAKARU_WATCH_WRITE, failed, bytes, time);
  if (!bytes || !hkw_is_regular(use)) return;
  if (use->flags & HKW_APPENDS) return hkw_doubt(use, HAKARU_PLACES_UNTOLD);
  const int saved = errno;
  if (!use->placed) {
    const off_t now = use->stream ? HKW_REAL(ftello)(use->stream) : -1;
    if (now < (off_t)bytes) return hkw_doubt(use, HAKARU_PLACES_UNTOLD);
    use->place = (uint64_t)now - bytes;
    use->placed = 1;
  }
  hkw_wrote(use, HAKARU_LAYER_STDIO, use->place, bytes);
  use->place += bytes;
  errno = saved;
}

void hkw_settle(hkw_use* use) {
  const int saved = errno;
  if (use->stream && only_writes(use) && use->placed && hkw_is_regular(use) &&
      HKW_REAL(fflush)(use->stream) == 0) {
    const off_t now = syscall(SYS_lseek, fileno_unlocked(use->stream), (off_t)0, SEEK_CUR);
    if (now > (off_t)use->place) put(use, (uint64_t)now - use->place, 0, 0);
  }
  errno = saved;
}

static uint32_t flags_of(const char* mode) {
  const int both = strchr(mode, '+') != NULL;
  switch (*mode) {
    case 'r':
      return HKW_READS | (both ? HKW_WRITES : 0);
    case 'w':
      return HKW_WRITES | HKW_TRUNCATES | (both ? HKW_READS : 0);
    default:
      return HKW_WRITES | HKW_APPENDS | (both ? HKW_READS : 0);
  }
}

static FILE* end_open(FILE* stream, uint32_t flags, uint64_t began) {
  const int saved = errno;
  if (!stream) {
    hkw_count_name(HAKARU_WATCH_OPEN, 1, hkw_since(began));
  } else {
    hkw_opened(fileno(stream), stream, flags);
    hkw_use* use = use_of(stream);
    if (use) hkw_count(use, HAKARU_LAYER_STDIO, HAKARU_WATCH_OPEN, 0, 0, hkw_since(began));
  }
  errno = saved;
  return stream;
}

#define OPEN(name, parameters, arguments, before, flags)     \
  static FILE*(*real_##name)parameters;                      \
  HKW_EXPORT FILE* name parameters {                         \
    if (!hkw.files) return HKW_REAL(name) arguments;         \
    before;                                                  \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);         \
    return end_open(HKW_REAL(name) arguments, flags, began); \
  }

static void closing(FILE* stream) {
  hkw_use* use = use_of(stream);
  if (!use) return;
  hkw_settle(use);
  hkw_closing(fileno(stream));
}
OPEN(fopen, (const char* restrict path, const char* restrict mode), (path, mode), , flags_of(mode))
OPEN(fopen64, (const char* restrict path, const char* restrict mode), (path, mode), ,
     flags_of(mode))
OPEN(freopen, (const char* restrict path, const char* restrict mode, FILE* restrict old),
     (path, mode, old), closing(old), flags_of(mode))
OPEN(freopen64, (const char* restrict path, const char* restrict mode, FILE* restrict old),
     (path, mode, old), closing(old), flags_of(mode))
OPEN(tmpfile, (void), (), , HKW_WRITES | HKW_READS)
OPEN(tmpfile64, (void), (), , HKW_WRITES | HKW_READS)

/* The descriptor is known already. */
static FILE* (*real_fdopen)(int, const char*);
HKW_EXPORT FILE* fdopen(int fd, const char* mode) {
  FILE* stream = HKW_REAL(fdopen)(fd, mode);
  hkw_use* use = stream ? use_of(stream) : NULL;
  if (use && fd > 2) {
    use->stream = stream;
    use->placed = 0;
    if (*mode == 'a') use->flags |= HKW_APPENDS;
  }
  return stream;
}

static int (*real_fclose)(FILE*);
HKW_EXPORT int fclose(FILE* stream) {
  hkw_use* use = use_of(stream);
  if (!use) return HKW_REAL(fclose)(stream);
  const uint64_t began = hkw_now(CLOCK_MONOTONIC);
  hkw_settle(use);
  hkw_use closed = *use;
  HKW_REAL(fflush)(stream); /* so that its size is known */
  hkw_closing(fileno(stream));
  int result = HKW_REAL(fclose)(stream);
  hkw_count(&closed, HAKARU_LAYER_STDIO, HAKARU_WATCH_CLOSE, result != 0, 0, hkw_since(began));
  return result;
}

HKW_EXPORT int fflush(FILE* stream) {
  hkw_use* use = use_of(stream);
  if (!use) return HKW_REAL(fflush)(stream);
  const uint64_t began = hkw_now(CLOCK_MONOTONIC);
  int result = HKW_REAL(fflush)(stream);
  hkw_count(use, HAKARU_LAYER_STDIO, HAKARU_WATCH_SYNC, result != 0, 0, hkw_since(began));
  return result;
}

/* ---------------------------------------------------------------- moving */

#define MOVE(type, name, parameters, arguments)                                              \
  static type(*real_##name) parameters;                                                      \
  HKW_EXPORT type name parameters {                                                          \
    hkw_use* use = use_of(stream);                                                           \
    if (HKW_LIKELY(!use)) return HKW_REAL(name) arguments;                                   \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);                                         \
    hkw_settle(use);                                                                         \
    type result = HKW_REAL(name) arguments;                                                  \
    use->placed = 0;                                                                         \
    hkw_count(use, HAKARU_LAYER_STDIO, HAKARU_WATCH_SEEK, result != 0, 0, hkw_since(began)); \
    return result;                                                                           \
  }
MOVE(int, fseek, (FILE * stream, long at, int from), (stream, at, from))
MOVE(int, fseeko, (FILE * stream, off_t at, int from), (stream, at, from))
MOVE(int, fseeko64, (FILE * stream, off64_t at, int from), (stream, at, from))
MOVE(int, fsetpos, (FILE * stream, const fpos_t* at), (stream, at))
MOVE(int, fsetpos64, (FILE * stream, const fpos64_t* at), (stream, at))

static void (*real_rewind)(FILE*);
HKW_EXPORT void rewind(FILE* stream) {
  hkw_use* use = use_of(stream);
  if (use) hkw_settle(use), use->placed = 0;
  HKW_REAL(rewind)(stream);
}

/* ---------------------------------------------------------------- reading and writing */

#define WRITE(type, name, parameters, arguments, stream, ok, bytes) \
  static type(*real_##name) parameters;                             \
  HKW_EXPORT type name parameters {                                 \
    hkw_use* use = use_of(stream);                                  \
    if (HKW_LIKELY(!use)) return HKW_REAL(name) arguments;          \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);                \
    type result = HKW_REAL(name) arguments;                         \
    put(use, ok ? (uint64_t)(bytes) : 0, hkw_since(began), !(ok));  \
    return result;                                                  \
  }
WRITE(size_t, fwrite, (const void* restrict from, size_t size, size_t count, FILE* restrict to),
      (from, size, count, to), to, result <= count, result* size)
WRITE(size_t, fwrite_unlocked,
      (const void* restrict from, size_t size, size_t count, FILE* restrict to),
      (from, size, count, to), to, result <= count, result* size)
WRITE(int, fputs, (const char* restrict text, FILE* restrict to), (text, to), to, result >= 0,
      strlen(text))
WRITE(int, fputs_unlocked, (const char* restrict text, FILE* restrict to), (text, to), to,
      result >= 0, strlen(text))
WRITE(int, puts, (const char* text), (text), stdout, result >= 0, strlen(text) + 1)
WRITE(int, vfprintf, (FILE* restrict to, const char* restrict form, va_list values),
      (to, form, values), to, result >= 0, result)
WRITE(int, vprintf, (const char* restrict form, va_list values), (form, values), stdout,
      result >= 0, result)
WRITE(int, __vfprintf_chk,
      (FILE* restrict to, int level, const char* restrict form, va_list values),
      (to, level, form, values), to, result >= 0, result)
WRITE(int, __vprintf_chk, (int level, const char* restrict form, va_list values),
      (level, form, values), stdout, result >= 0, result)

#define PRINT(name, parameters, last, call) \
  HKW_EXPORT int name parameters {          \
    va_list values;                         \
    va_start(values, last);                 \
    int result = call;                      \
    va_end(values);                         \
    return result;                          \
  }
PRINT(fprintf, (FILE* restrict to, const char* restrict form, ...), form,
      vfprintf(to, form, values))
PRINT(printf, (const char* restrict form, ...), form, vprintf(form, values))
PRINT(__fprintf_chk, (FILE * to, int level, const char* form, ...), form,
      __vfprintf_chk(to, level, form, values))
PRINT(__printf_chk, (int level, const char* form, ...), form, __vprintf_chk(level, form, values))

#define READ(type, name, parameters, arguments, ok, bytes)                             \
  static type(*real_##name) parameters;                                                \
  HKW_EXPORT type name parameters {                                                    \
    hkw_use* use = use_of(from);                                                       \
    if (HKW_LIKELY(!use)) return HKW_REAL(name) arguments;                             \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);                                   \
    type result = HKW_REAL(name) arguments;                                            \
    const uint64_t moved = ok ? (uint64_t)(bytes) : 0;                                 \
    use->place += moved;                                                               \
    hkw_count(use, HAKARU_LAYER_STDIO, HAKARU_WATCH_READ, 0, moved, hkw_since(began)); \
    return result;                                                                     \
  }
READ(size_t, fread, (void* restrict to, size_t size, size_t count, FILE* restrict from),
     (to, size, count, from), result <= count, result* size)
READ(size_t, fread_unlocked, (void* restrict to, size_t size, size_t count, FILE* restrict from),
     (to, size, count, from), result <= count, result* size)
READ(size_t, __fread_chk,
     (void* restrict to, size_t room, size_t size, size_t count, FILE* restrict from),
     (to, room, size, count, from), result <= count, result* size)
READ(char*, fgets, (char* restrict to, int size, FILE* restrict from), (to, size, from),
     result != NULL, strlen(to))
READ(char*, __fgets_chk, (char* restrict to, size_t room, int size, FILE* restrict from),
     (to, room, size, from), result != NULL, strlen(to))
READ(ssize_t, getline, (char** restrict to, size_t* restrict size, FILE* restrict from),
     (to, size, from), result > 0, result)
READ(ssize_t, getdelim, (char** restrict to, size_t* restrict size, int end, FILE* restrict from),
     (to, size, end, from), result > 0, result)
READ(ssize_t, __getdelim, (char** restrict to, size_t* restrict size, int end, FILE* restrict from),
     (to, size, end, from), result > 0, result)
