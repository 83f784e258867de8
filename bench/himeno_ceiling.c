// What memory allows the Himeno iteration: it reads thirteen words and writes one for each point,
// with no more arithmetic than a sum, in the most favourable order (one interleaved stream in huge
// pages, read ahead), once with ordinary and once with streaming stores. Compile with -DNX=...
// -DNY=... -DNZ=...; arguments: iterations repetitions; prints points/s of each repetition, the
// faster way to store.
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { words = 16, arrays = 13, ahead_lines = 32 };
typedef float Line __attribute__((vector_size(64)));

static Line* allocate(size_t lines) {
  const size_t huge_page = (size_t)1 << 21;
  char* memory = mmap(NULL, lines * sizeof(Line) + huge_page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) exit(4);
  char* aligned = (char*)(((size_t)memory + huge_page - 1) / huge_page * huge_page);
  madvise(aligned, lines * sizeof(Line), MADV_HUGEPAGE);
  return (Line*)aligned;
}

static void store(float* to, const float* from, int streaming) {
#ifdef __AVX__
  typedef float Eight __attribute__((vector_size(32)));
  if (streaming) {
    __builtin_ia32_movntps256(to, *(const Eight*)from);
    __builtin_ia32_movntps256(to + 8, *(const Eight*)(from + 8));
    return;
  }
#endif
  (void)streaming;
#pragma omp simd
  for (int i = 0; i < words; ++i) to[i] = from[i];
}

static void sweep(const Line* in, Line* out, long groups, int streaming) {
#pragma omp parallel for schedule(static)
  for (long group = 0; group < groups; ++group) {
    const float* line = (const float*)(in + group * arrays);
    float sum[words] __attribute__((aligned(64))) = {0};
    for (int array = 0; array < arrays; ++array) {
      __builtin_prefetch(line + (array + ahead_lines) * words);
#pragma omp simd aligned(sum : 64)
      for (int i = 0; i < words; ++i) sum[i] += line[array * words + i];
    }
    store((float*)(out + group), sum, streaming);
  }
}

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return 2;
  const int iterations = atoi(arguments[1]), repetitions = atoi(arguments[2]);
  const long groups = (long)NX * (NY - 2) * (NZ - 2) / words;
  Line* in = allocate(groups * arrays + ahead_lines);
  Line* out = allocate(groups);
#pragma omp parallel for schedule(static)
  for (long group = 0; group < groups; ++group) {
    for (int i = 0; i < arrays * words; ++i) ((float*)(in + group * arrays))[i] = 1.0f;
    for (int i = 0; i < words; ++i) ((float*)(out + group))[i] = 0.0f;
  }
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    double best = 0.0;
    for (int streaming = 0; streaming < 2; ++streaming) {
      const double start = omp_get_wtime();
      for (int i = 0; i < iterations; ++i) sweep(in, out, groups, streaming);
      const double rate =
          (double)(NX - 2) * (NY - 2) * (NZ - 2) * iterations / (omp_get_wtime() - start);
      if (rate > best) best = rate;
    }
    if (repetition >= 0) printf("%.9e %.1f\n", best, ((float*)out)[0]);
  }
  return 0;
}
