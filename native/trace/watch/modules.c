/* What lies at an address, told when a sample meets it first: the file, where it is loaded, its
 * build id in memory (so of the file that ran, not of what lies there later). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

#include "watch.h"

#define MOST 1024
typedef struct {
  uintptr_t begin, end, bias;
  const struct link_map* map;
  uint64_t name; /* FNV-1a */
} module;
static module modules[MOST];
static uint32_t count;
static int locked; /* by one of the signal handlers, none of which can be interrupted by another */

void hkw_modules_after_fork(void) {
  count = 0;
  locked = 0;
}

static uint64_t hashed(const char* text) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 1099511628211u;
  return hash;
}

#if __GLIBC_PREREQ(2, 35)
/* Takes no lock, and may be called by signal handlers. */
static int find(uintptr_t address, module* found) {
  struct dl_find_object object;
  if (_dl_find_object((void*)address, &object) != 0) return 0;
  found->begin = (uintptr_t)object.dlfo_map_start;
  found->end = (uintptr_t)object.dlfo_map_end;
  found->map = object.dlfo_link_map;
  found->bias = object.dlfo_link_map->l_addr;
  return 1;
}
static const char* name_of(const module* found) { return found->map->l_name; }
#else
static const char* last_name;
static int holds(struct dl_phdr_info* info, size_t size, void* argument) {
  module* found = argument;
  (void)size;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (at < begin) begin = at;
    if (at + info->dlpi_phdr[i].p_memsz > end) end = at + info->dlpi_phdr[i].p_memsz;
  }
  if (found->begin < begin || found->begin >= end) return 0;
  *found = (module){begin, end, info->dlpi_addr, (const void*)info->dlpi_phdr, 0};
  last_name = info->dlpi_name;
  return 1;
}
static int find(uintptr_t address, module* found) {
  found->begin = address;
  return dl_iterate_phdr(holds, found);
}
static const char* name_of(const module* found) { return (void)found, last_name; }
#endif

/* Copies the build id's bytes; how many there are. */
static uint32_t build_id(const module* found, uint8_t* id, uint32_t most) {
  const ElfW(Ehdr)* elf = (const void*)found->begin;
  if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0) return 0;
  const ElfW(Phdr)* parts = (const void*)(found->begin + elf->e_phoff);
  for (int i = 0; i < elf->e_phnum; i++) {
    const char* at = (const char*)(found->bias + parts[i].p_vaddr);
    const char* end = at + parts[i].p_memsz;
    if (parts[i].p_type != PT_NOTE) continue;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr)* note = (const void*)at;
      const char* name = at + sizeof *note;
      const char* text = name + HKW_ROUND_UP(note->n_namesz, 4u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        uint32_t length = note->n_descsz < most ? note->n_descsz : most;
        memcpy(id, text, length);
        return length;
      }
      at = text + HKW_ROUND_UP(note->n_descsz, 4u);
    }
  }
  return 0;
}

/* Absolute. */
static void write_path(const char* name, char* path, size_t size) {
  if (!*name) name = hkw.program;
  size_t at = 0;
  if (*name != '/' && strchr(name, '/') && syscall(SYS_getcwd, path, size) > 0) {
    at = strlen(path);
    if (at + 1 < size) path[at++] = '/';
  }
  size_t length = strlen(name);
  if (length > size - at - 1) length = size - at - 1;
  memcpy(path + at, name, length);
  path[at + length] = 0;
}

/* Called under the lock: a record does not fit on the small stacks of some threads. */
static void tell(const module* found, const char* name) {
  static struct {
    hakaru_watch_module fixed;
    char more[32 + 4096 + 16];
  } record;
  memset(&record, 0, sizeof record);
  hakaru_watch_module* m = &record.fixed;
  m->begin = found->begin;
  m->end = found->end;
  m->bias = found->bias;
  m->build_id_length = build_id(found, (uint8_t*)record.more, 32);
  char* path = record.more + HKW_ROUND_UP(m->build_id_length, 8u);
  write_path(name, path, 4096);
  m->path_length = (uint32_t)strlen(path);
  struct stat file;
  if (syscall(SYS_newfstatat, AT_FDCWD, path, &file, 0) == 0) {
    m->bytes = (uint64_t)file.st_size;
    m->time_ns = (uint64_t)file.st_mtim.tv_sec * 1000000000u + (uint64_t)file.st_mtim.tv_nsec;
  }
  uint64_t bytes = (uint64_t)(path - (char*)&record) + HKW_ROUND_UP(m->path_length + 1u, 8u);
  m->head.head = hkw_head(HAKARU_WATCH_MODULE, bytes);
  hkw_put(&record, bytes);
}

static int is_known(const module* found) {
  const uint32_t told = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
  for (uint32_t i = told; i-- > 0;) { /* the latest first: others may have lain there before */
    const module* m = &modules[i];
    if (m->end <= found->begin || m->begin >= found->end) continue;
    return m->begin == found->begin && m->end == found->end && m->map == found->map &&
           m->name == found->name;
  }
  return 0;
}

void hkw_tell_module_of(uintptr_t address) {
  module found;
  memset(&found, 0, sizeof found);
  if (!find(address, &found)) return;
  const char* name = name_of(&found);
  if (!name) return;
  found.name = hashed(name);
  if (is_known(&found)) return;
  while (__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE)) sched_yield();
  if (!is_known(&found)) {
    tell(&found, name);
    if (count < MOST) {
      modules[count] = found;
      __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    }
  }
  __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}
