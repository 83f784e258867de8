/* POSIX calls on files: times, bytes, places. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "uses.h"

#define OWN (-1) /* the descriptor's own place */

/* ---------------------------------------------------------------- reading and writing */

/* The place of a write is where the descriptor stands after it, if nobody else moves it meanwhile.
 */
static uint64_t begin_transfer(hkw_use* use, uint32_t operation, int64_t offset) {
  if (operation == HAKARU_WATCH_WRITE && offset == OWN &&
      __atomic_exchange_n(&use->locked, 1, __ATOMIC_ACQUIRE))
    hkw_doubt(use, HAKARU_PLACES_UNTOLD);
  return hkw_now(CLOCK_MONOTONIC);
}

static void end_transfer(hkw_use* use, int descriptor, uint32_t operation, ssize_t result,
                         uint64_t began, int64_t offset) {
  const int saved = errno;
  const uint32_t layer = hkw_layer();
  const uint64_t bytes = result > 0 ? (uint64_t)result : 0;
  hkw_count(use, layer, operation, result < 0, bytes, hkw_since(began));
  if (operation == HAKARU_WATCH_WRITE && layer == HAKARU_LAYER_POSIX && bytes &&
      hkw_is_regular(use)) {
    if (offset == OWN) offset = syscall(SYS_lseek, descriptor, (off_t)0, SEEK_CUR) - (int64_t)bytes;
    if (offset >= 0) hkw_wrote(use, layer, (uint64_t)offset, bytes);
    if (use->stream) use->place = (uint64_t)offset + bytes;
  }
  if (operation == HAKARU_WATCH_WRITE) __atomic_store_n(&use->locked, 0, __ATOMIC_RELEASE);
  errno = saved;
}

#define TRANSFER(name, parameters, arguments, operation, offset)                       \
  static ssize_t(*real_##name) parameters;                                             \
  HKW_EXPORT ssize_t name parameters {                                                 \
    hkw_use* use = hkw_use_of(fd);                                                     \
    if (HKW_LIKELY(!use)) return HKW_REAL(name) arguments;                             \
    const uint64_t began = begin_transfer(use, HAKARU_WATCH_##operation, offset);      \
    ssize_t result = HKW_REAL(name) arguments;                                         \
    end_transfer(use, fd, HAKARU_WATCH_##operation, result, began, (int64_t)(offset)); \
    return result;                                                                     \
  }

TRANSFER(read, (int fd, void* to, size_t bytes), (fd, to, bytes), READ, OWN)
TRANSFER(write, (int fd, const void* from, size_t bytes), (fd, from, bytes), WRITE, OWN)
TRANSFER(pread, (int fd, void* to, size_t bytes, off_t at), (fd, to, bytes, at), READ, at)
TRANSFER(pread64, (int fd, void* to, size_t bytes, off64_t at), (fd, to, bytes, at), READ, at)
TRANSFER(pwrite, (int fd, const void* from, size_t bytes, off_t at), (fd, from, bytes, at), WRITE,
         at)
TRANSFER(pwrite64, (int fd, const void* from, size_t bytes, off64_t at), (fd, from, bytes, at),
         WRITE, at)
TRANSFER(readv, (int fd, const struct iovec* to, int count), (fd, to, count), READ, OWN)
TRANSFER(writev, (int fd, const struct iovec* from, int count), (fd, from, count), WRITE, OWN)
TRANSFER(preadv, (int fd, const struct iovec* to, int count, off_t at), (fd, to, count, at), READ,
         at)
TRANSFER(preadv64, (int fd, const struct iovec* to, int count, off64_t at), (fd, to, count, at),
         READ, at)
TRANSFER(pwritev, (int fd, const struct iovec* from, int count, off_t at), (fd, from, count, at),
         WRITE, at)
TRANSFER(pwritev64, (int fd, const struct iovec* from, int count, off64_t at),
         (fd, from, count, at), WRITE, at)
TRANSFER(preadv2, (int fd, const struct iovec* to, int count, off_t at, int flags),
         (fd, to, count, at, flags), READ, at)
TRANSFER(preadv64v2, (int fd, const struct iovec* to, int count, off64_t at, int flags),
         (fd, to, count, at, flags), READ, at)
TRANSFER(pwritev2, (int fd, const struct iovec* from, int count, off_t at, int flags),
         (fd, from, count, at, flags), WRITE, at)
TRANSFER(pwritev64v2, (int fd, const struct iovec* from, int count, off64_t at, int flags),
         (fd, from, count, at, flags), WRITE, at)
TRANSFER(__read_chk, (int fd, void* to, size_t bytes, size_t room), (fd, to, bytes, room), READ,
         OWN)
TRANSFER(__pread_chk, (int fd, void* to, size_t bytes, off_t at, size_t room),
         (fd, to, bytes, at, room), READ, at)
TRANSFER(__pread64_chk, (int fd, void* to, size_t bytes, off64_t at, size_t room),
         (fd, to, bytes, at, room), READ, at)

/* Copies inside the kernel: bytes are counted, their places are not known. */
#define COPY(name, parameters, arguments, descriptor)                                           \
  static ssize_t(*real_##name) parameters;                                                      \
  HKW_EXPORT ssize_t name parameters {                                                          \
    hkw_use* use = hkw_use_of(descriptor);                                                      \
    const uint64_t began = use ? hkw_now(CLOCK_MONOTONIC) : 0;                                  \
    ssize_t result = HKW_REAL(name) arguments;                                                  \
    if (!use) return result;                                                                    \
    hkw_count(use, hkw_layer(), HAKARU_WATCH_WRITE, result<0, result> 0 ? (uint64_t)result : 0, \
              hkw_since(began));                                                                \
    if (result > 0) hkw_doubt(use, HAKARU_PLACES_UNTOLD);                                       \
    return result;                                                                              \
  }
COPY(sendfile, (int to, int from, off_t* at, size_t bytes), (to, from, at, bytes), to)
COPY(sendfile64, (int to, int from, off64_t* at, size_t bytes), (to, from, at, bytes), to)
COPY(copy_file_range, (int from, off64_t* in, int to, off64_t* out, size_t bytes, unsigned flags),
     (from, in, to, out, bytes, flags), to)
COPY(splice, (int from, off64_t* in, int to, off64_t* out, size_t bytes, unsigned flags),
     (from, in, to, out, bytes, flags), to)

/* ---------------------------------------------------------------- opening */

static uint32_t flags_of(int flags) {
  const int access = flags & O_ACCMODE;
  return (access != O_RDONLY ? HKW_WRITES : 0) | (access != O_WRONLY ? HKW_READS : 0) |
         (flags & O_APPEND ? HKW_APPENDS : 0) |
         (flags & O_TRUNC && access != O_RDONLY ? HKW_TRUNCATES : 0);
}

static int end_open(int descriptor, int flags, uint64_t began) {
  const int saved = errno;
  if (descriptor >= 0 && !(flags & (O_PATH | O_DIRECTORY)))
    hkw_opened(descriptor, NULL, flags_of(flags));
  hkw_use* use = descriptor >= 0 ? hkw_use_of(descriptor) : NULL;
  if (use)
    hkw_count(use, hkw_layer(), HAKARU_WATCH_OPEN, 0, 0, hkw_since(began));
  else if (descriptor < 0)
    hkw_count_name(HAKARU_WATCH_OPEN, 1, hkw_since(began));
  errno = saved;
  return descriptor;
}

static mode_t mode_of(int flags, va_list more) {
  return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, mode_t) : 0;
}

#define OPEN(name, parameters, arguments)                    \
  static int(*real_##name) parameters;                       \
  HKW_EXPORT int name parameters {                           \
    va_list more;                                            \
    va_start(more, flags);                                   \
    const mode_t mode = mode_of(flags, more);                \
    va_end(more);                                            \
    if (!hkw.files) return HKW_REAL(name) arguments;         \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);         \
    return end_open(HKW_REAL(name) arguments, flags, began); \
  }
OPEN(open, (const char* path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char* path, int flags, ...), (path, flags, mode))
OPEN(openat, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, (int folder, const char* path, int flags, ...), (folder, path, flags, mode))

#define OPEN_PLAIN(name, parameters, arguments, flags)       \
  static int(*real_##name) parameters;                       \
  HKW_EXPORT int name parameters {                           \
    if (!hkw.files) return HKW_REAL(name) arguments;         \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);         \
    return end_open(HKW_REAL(name) arguments, flags, began); \
  }
OPEN_PLAIN(__open_2, (const char* path, int flags), (path, flags), flags)
OPEN_PLAIN(__open64_2, (const char* path, int flags), (path, flags), flags)
OPEN_PLAIN(__openat_2, (int folder, const char* path, int flags), (folder, path, flags), flags)
OPEN_PLAIN(__openat64_2, (int folder, const char* path, int flags), (folder, path, flags), flags)
OPEN_PLAIN(creat, (const char* path, mode_t mode), (path, mode), O_WRONLY | O_CREAT | O_TRUNC)
OPEN_PLAIN(creat64, (const char* path, mode_t mode), (path, mode), O_WRONLY | O_CREAT | O_TRUNC)
OPEN_PLAIN(mkstemp, (char* path), (path), O_RDWR)
OPEN_PLAIN(mkstemp64, (char* path), (path), O_RDWR)
OPEN_PLAIN(mkostemp, (char* path, int more), (path, more), O_RDWR)
OPEN_PLAIN(mkostemp64, (char* path, int more), (path, more), O_RDWR)

/* ---------------------------------------------------------------- descriptors */

static int (*real_close)(int);
HKW_EXPORT int close(int descriptor) {
  if (HKW_UNLIKELY(hkw_is_own_descriptor(descriptor)) && getpid() == hkw.process) {
    errno = EBADF; /* programs that close all descriptors do not close the watcher's */
    return -1;
  }
  hkw_use* use = hkw_use_of(descriptor);
  if (HKW_LIKELY(!use)) return HKW_REAL(close)(descriptor);
  hkw_use closed = *use;
  hkw_closing(descriptor);
  const uint64_t began = hkw_now(CLOCK_MONOTONIC);
  int result = HKW_REAL(close)(descriptor);
  hkw_count(&closed, hkw_layer(), HAKARU_WATCH_CLOSE, result != 0, 0, hkw_since(began));
  return result;
}

static int (*real_close_range)(unsigned, unsigned, int);
HKW_EXPORT int close_range(unsigned first, unsigned last, int flags) {
  const unsigned most = last < 65536 ? last : 65536;
  if (!hkw.files && hkw_table_descriptor < 0 && !hkw.sampling)
    return HKW_REAL(close_range)(first, last, flags);
  if (flags) return HKW_REAL(close_range)(first, last, flags);
  for (unsigned i = first; i <= most; i++) {
    hkw_closing((int)i);
    if (!hkw_is_own_descriptor((int)i)) syscall(SYS_close, i);
  }
  return last > most ? HKW_REAL(close_range)(most + 1, last, flags) : 0;
}
static void (*real_closefrom)(int);
HKW_EXPORT void closefrom(int first) {
  if (!hkw.files && !hkw.sampling) {
    HKW_REAL(closefrom)(first);
    return;
  }
  close_range(first > 0 ? (unsigned)first : 0, ~0u, 0);
}

static int (*real_dup)(int);
HKW_EXPORT int dup(int from) {
  int made = HKW_REAL(dup)(from);
  if (made >= 0) hkw_duplicated(from, made);
  return made;
}

static int (*real_dup2)(int, int);
HKW_EXPORT int dup2(int from, int to) {
  if (hkw_is_own_descriptor(to) && getpid() == hkw.process) return errno = EBUSY, -1;
  if (from != to) hkw_closing(to);
  int made = HKW_REAL(dup2)(from, to);
  if (made >= 0) hkw_duplicated(from, made);
  return made;
}

static int (*real_dup3)(int, int, int);
HKW_EXPORT int dup3(int from, int to, int flags) {
  if (hkw_is_own_descriptor(to) && getpid() == hkw.process) return errno = EBUSY, -1;
  if (from != to) hkw_closing(to);
  int made = HKW_REAL(dup3)(from, to, flags);
  if (made >= 0) hkw_duplicated(from, made);
  return made;
}

#define CONTROL(name)                                                                            \
  static int (*real_##name)(int, int, ...);                                                      \
  HKW_EXPORT int name(int fd, int what, ...) {                                                   \
    va_list more;                                                                                \
    va_start(more, what);                                                                        \
    void* argument = va_arg(more, void*);                                                        \
    va_end(more);                                                                                \
    int result = HKW_REAL(name)(fd, what, argument);                                             \
    if (result >= 0 && (what == F_DUPFD || what == F_DUPFD_CLOEXEC)) hkw_duplicated(fd, result); \
    return result;                                                                               \
  }
CONTROL(fcntl)
CONTROL(fcntl64)

/* ---------------------------------------------------------------- the rest */

#define ON_FILE(type, name, parameters, arguments, operation, after)                        \
  static type(*real_##name) parameters;                                                     \
  HKW_EXPORT type name parameters {                                                         \
    hkw_use* use = hkw_use_of(fd);                                                          \
    if (HKW_LIKELY(!use)) return HKW_REAL(name) arguments;                                  \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);                                        \
    type result = HKW_REAL(name) arguments;                                                 \
    hkw_count(use, hkw_layer(), HAKARU_WATCH_##operation, result < 0, 0, hkw_since(began)); \
    after;                                                                                  \
    return result;                                                                          \
  }
ON_FILE(off_t, lseek, (int fd, off_t at, int from), (fd, at, from), SEEK, )
ON_FILE(off64_t, lseek64, (int fd, off64_t at, int from), (fd, at, from), SEEK, )
ON_FILE(int, fsync, (int fd), (fd), SYNC, )
ON_FILE(int, fdatasync, (int fd), (fd), SYNC, )

/* Bytes that a file has now belong to nobody until they are written. */
static void sized(hkw_use* use, int fd, int error) {
  struct stat about;
  if (!error && hkw_layer() == HAKARU_LAYER_POSIX &&
      syscall(SYS_newfstatat, fd, "", &about, AT_EMPTY_PATH) == 0)
    hkw_sized(use, (uint64_t)about.st_size, hkw_now(CLOCK_REALTIME));
}
ON_FILE(int, ftruncate, (int fd, off_t bytes), (fd, bytes), TRUNCATE, sized(use, fd, result))
ON_FILE(int, ftruncate64, (int fd, off64_t bytes), (fd, bytes), TRUNCATE, sized(use, fd, result))
ON_FILE(int, posix_fallocate, (int fd, off_t at, off_t bytes), (fd, at, bytes), TRUNCATE,
        sized(use, fd, result))
ON_FILE(int, posix_fallocate64, (int fd, off64_t at, off64_t bytes), (fd, at, bytes), TRUNCATE,
        sized(use, fd, result))
ON_FILE(int, fallocate, (int fd, int how, off_t at, off_t bytes), (fd, how, at, bytes), TRUNCATE,
        sized(use, fd, result))
ON_FILE(int, fallocate64, (int fd, int how, off64_t at, off64_t bytes), (fd, how, at, bytes),
        TRUNCATE, sized(use, fd, result))

/* Stores into a mapped file are not seen: the file is named, and its places are in doubt. */
#define MAP(name, offset)                                                                         \
  static void* (*real_##name)(void*, size_t, int, int, int, offset);                              \
  HKW_EXPORT void* name(void* at, size_t bytes, int protection, int flags, int fd, offset from) { \
    hkw_use* use = flags & MAP_ANONYMOUS ? NULL : hkw_use_of(fd);                                 \
    if (HKW_LIKELY(!use)) return HKW_REAL(name)(at, bytes, protection, flags, fd, from);          \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);                                              \
    void* made = HKW_REAL(name)(at, bytes, protection, flags, fd, from);                          \
    hkw_count(use, hkw_layer(), HAKARU_WATCH_MAP, made == MAP_FAILED, bytes, hkw_since(began));   \
    if (flags & (MAP_SHARED | MAP_SHARED_VALIDATE) && protection & PROT_WRITE &&                  \
        made != MAP_FAILED)                                                                       \
      hkw_doubt(use, HAKARU_PLACES_MAPPED);                                                       \
    return made;                                                                                  \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

#define BY_NAME(name, parameters, arguments, operation)                      \
  static int(*real_##name) parameters;                                       \
  HKW_EXPORT int name parameters {                                           \
    if (HKW_LIKELY(!hkw.files)) return HKW_REAL(name) arguments;             \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);                         \
    int result = HKW_REAL(name) arguments;                                   \
    hkw_count_name(HAKARU_WATCH_##operation, result != 0, hkw_since(began)); \
    return result;                                                           \
  }
BY_NAME(stat, (const char* restrict path, struct stat* restrict to), (path, to), STAT)
BY_NAME(stat64, (const char* restrict path, struct stat64* restrict to), (path, to), STAT)
BY_NAME(lstat, (const char* restrict path, struct stat* restrict to), (path, to), STAT)
BY_NAME(lstat64, (const char* restrict path, struct stat64* restrict to), (path, to), STAT)
BY_NAME(fstatat, (int folder, const char* restrict path, struct stat* restrict to, int flags),
        (folder, path, to, flags), STAT)
BY_NAME(fstatat64, (int folder, const char* restrict path, struct stat64* restrict to, int flags),
        (folder, path, to, flags), STAT)
BY_NAME(access, (const char* path, int mode), (path, mode), STAT)
BY_NAME(__xstat, (int version, const char* path, struct stat* to), (version, path, to), STAT)
BY_NAME(__xstat64, (int version, const char* path, struct stat64* to), (version, path, to), STAT)

static int about_name(const char* path, struct stat* about) {
  const int saved = errno;
  int known = hkw.files && syscall(SYS_newfstatat, AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW) == 0;
  errno = saved;
  return known;
}

#define UNLINK(name, parameters, arguments)                             \
  static int(*real_##name) parameters;                                  \
  HKW_EXPORT int name parameters {                                      \
    struct stat about;                                                  \
    if (HKW_LIKELY(!hkw.files)) return HKW_REAL(name) arguments;        \
    const int known = about_name(path, &about) && about.st_nlink == 1;  \
    const uint64_t began = hkw_now(CLOCK_MONOTONIC);                    \
    int result = HKW_REAL(name) arguments;                              \
    hkw_count_name(HAKARU_WATCH_UNLINK, result != 0, hkw_since(began)); \
    if (result == 0 && known) hkw_renamed(&about, NULL);                \
    return result;                                                      \
  }
UNLINK(unlink, (const char* path), (path))
UNLINK(remove, (const char* path), (path))

static int end_rename(int result, const char* to, uint64_t began) {
  const int saved = errno;
  struct stat about;
  char path[4096];
  hkw_count_name(HAKARU_WATCH_RENAME, result != 0, hkw_since(began));
  if (result == 0 && about_name(to, &about)) {
    int at = 0;
    if (*to != '/' && syscall(SYS_getcwd, path, sizeof path) > 0) {
      while (path[at]) at++;
      path[at++] = '/';
    }
    snprintf(path + at, sizeof path - (size_t)at, "%s", to);
    hkw_renamed(&about, path);
  }
  errno = saved;
  return result;
}

static int (*real_rename)(const char*, const char*);
HKW_EXPORT int rename(const char* from, const char* to) {
  if (!hkw.files) return HKW_REAL(rename)(from, to);
  const uint64_t began = hkw_now(CLOCK_MONOTONIC);
  return end_rename(HKW_REAL(rename)(from, to), to, began);
}

static int (*real_renameat)(int, const char*, int, const char*);
HKW_EXPORT int renameat(int old, const char* from, int new, const char* to) {
  if (!hkw.files || new != AT_FDCWD) return HKW_REAL(renameat)(old, from, new, to);
  const uint64_t began = hkw_now(CLOCK_MONOTONIC);
  return end_rename(HKW_REAL(renameat)(old, from, new, to), to, began);
}
