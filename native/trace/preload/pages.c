/* Whether long messages are sent from pages larger than the smallest: asked of the kernel, region
 * by region, and again from time to time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tracer.h"

/* Linux 6.7, linux/fs.h; those of older headers lack it. */
typedef struct {
  uint64_t size, flags, start, end, walk_end, regions, region_count, most_pages;
  uint64_t inverted, all_of, any_of, told;
} scan;
typedef struct {
  uint64_t start, end, categories;
} scanned;
#define SCAN_PAGES _IOWR('f', 16, scan)
#define IN_LARGE_PAGE (UINT64_C(1) << 6)

#define REGION_BITS 21 /* of 2 MiB */
#define REGIONS 16u
#define ASKED_EACH 64u

static int pages_file = -1;

/* -1: the kernel does not say. */
static int in_large_page(uintptr_t at) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), start = at / page * page;
  scanned found = {0, 0, 0};
  scan wanted = {.size = sizeof wanted, .start = start, .end = start + page};
  wanted.regions = (uint64_t)(uintptr_t)&found;
  wanted.region_count = 1;
  wanted.all_of = wanted.told = IN_LARGE_PAGE;
  return ioctl(pages_file, SCAN_PAGES, &wanted);
}

void hk_begin_pages(void) {
  pages_file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pages_file < 0 || in_large_page((uintptr_t)&pages_file) >= 0) return;
  close(pages_file);
  pages_file = -1;
}

void hk_look_at_pages(const void* from, uint64_t bytes) {
  static struct {
    uintptr_t region;
    uint32_t uses;
    int large;
  } known[REGIONS];
  if (pages_file < 0 || from == MPI_IN_PLACE || from == MPI_BOTTOM) return;
  const uintptr_t middle = (uintptr_t)from + bytes / 2, region = middle >> REGION_BITS;
  const uint32_t place = region % REGIONS;
  if (known[place].region != region || known[place].uses % ASKED_EACH == 0) {
    known[place].region = region;
    known[place].uses = 0;
    known[place].large = in_large_page(middle) > 0;
  }
  known[place].uses++;
  hk.header->long_bytes += bytes;
  if (known[place].large) hk.header->large_page_bytes += bytes;
}
