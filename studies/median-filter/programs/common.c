#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t large_page = (size_t)1 << 21;
static const char *first[2], *end[2];
static int arrays;

void* allocated(int kind) {
  size_t bytes = sizeof(value) * image_size * image_size * image_size;
  bytes = (bytes + large_page - 1) / large_page * large_page;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | (kind == 2 ? MAP_HUGETLB : 0);
  char* mapped =
      mmap(NULL, bytes + (kind == 2 ? 0 : large_page), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped == MAP_FAILED) {
    fprintf(stderr, "the kernel has no %zu large pages left\n", bytes / large_page);
    exit(4);
  }
  char* memory = (char*)(((uintptr_t)mapped + large_page - 1) / large_page * large_page);
  if (kind < 2) madvise(memory, bytes, kind == 1 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  first[arrays] = memory;
  end[arrays++] = memory + bytes;
  return memory;
}

/* SplitMix64's finaliser: bits that look random and depend on the point alone. */
static uint64_t mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* The image of the app median_filter: a ramp, noise, and one point in 32 that is black or white. */
void make_image(value* image) {
  for (int64_t point = 0; point < (int64_t)image_size * image_size * image_size; ++point) {
    uint64_t bits = mixed(0x9e3779b97f4a7c15u * (2 * (uint64_t)point + 1));
    int64_t x = point % image_size, y = point / image_size % image_size,
            z = point / image_size / image_size;
    double bright =
        0.25 + (double)((x + 2 * y + 3 * z) % 64) / 128.0 + (double)(bits >> 40) * 0x1p-26;
    if (bits % 32 == 0) bright = bits / 32 % 2 == 0 ? 0.0 : 1.0;
#ifdef REAL_VALUES
    image[point] = bright;
#else
    image[point] = (value)(bright * 1048576.0);
#endif
  }
}

static void report_pages(void) {
  FILE* file = fopen("/proc/self/smaps", "r");
  char line[512];
  double inside = 0, resident = 0, transparent = 0, large = 0;
  while (file && fgets(line, sizeof line, file)) {
    unsigned long low, high;
    double kib;
    if (sscanf(line, "%lx-%lx ", &low, &high) == 2) {
      inside = 0;
      for (int i = 0; i < arrays; ++i) {
        unsigned long from = (unsigned long)first[i], to = (unsigned long)end[i];
        if (from < low) from = low;
        if (to > high) to = high;
        if (from < to) inside += (double)(to - from);
      }
    } else if (inside > 0 && sscanf(line, "Rss: %lf kB", &kib) == 1) {
      resident += 1024 * kib < inside ? 1024 * kib : inside;
    } else if (inside > 0 && sscanf(line, "AnonHugePages: %lf kB", &kib) == 1) {
      transparent += 1024 * kib < inside ? 1024 * kib : inside;
    } else if (inside > 0 && sscanf(line, "Private_Hugetlb: %lf kB", &kib) == 1) {
      large += 1024 * kib < inside ? 1024 * kib : inside;
    }
  }
  if (file) fclose(file);
  printf("resident %.0f\ntransparent %.0f\nlarge %.0f\n", resident + large, transparent, large);
}

static int compare(const void* a, const void* b) {
  value x = *(const value*)a, y = *(const value*)b;
  return (x > y) - (x < y);
}

void report(const value* image, const value* median) {
  uint64_t hash = 0;
  long different = 0, looked_at = 0, interior = 0;
  const long stride = image_size > 32 ? 16 : 1;
  for (int64_t z = half; z < image_size - half; ++z)
    for (int64_t y = half; y < image_size - half; ++y)
      for (int64_t x = half; x < image_size - half; ++x) {
        value found = median[(z * image_size + y) * image_size + x];
        uint64_t bits = 0;
        memcpy(&bits, &found, sizeof found);
        hash = mixed(hash ^ bits) + 1;
        if (interior++ % stride != 0) continue;
        value list[listed], *next = list;
        for (int zz = -half; zz <= half; ++zz)
          for (int yy = -half; yy <= half; ++yy)
            for (int xx = -half; xx <= half; ++xx)
              *next++ = image[((z + zz) * image_size + y + yy) * image_size + x + xx];
        qsort(list, listed, sizeof(value), compare);
        different += found != list[listed / 2];
        ++looked_at;
      }
  report_pages();
  printf("looked_at %ld\ndifferent %ld\nbits %016llx\n", looked_at, different,
         (unsigned long long)hash);
}

void print_sample(double wall_s, double processor_s) {
  printf("seconds %.9e\nprocessor %.9e\n", wall_s, processor_s);
}
