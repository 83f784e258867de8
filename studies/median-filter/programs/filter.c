/* The published filter: each window is gathered and sorted by exchanges, with OpenMP over planes.
   FUNCTION puts it into a procedure. SORTED begins the inner loop behind the outer one, which
   sorts; the publication prints it as beginning at the second value. */
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "common.h"

#ifdef SORTED
#define INNER_FIRST (i + 1)
#else
#define INNER_FIRST 1
#endif

#define FILTER                                                                                     \
  _Pragma("omp parallel for schedule(static)") for (int z = half; z < image_size - half;           \
                                                    z++) for (int y = half; y < image_size - half; \
                                                              y++) for (int x = half;              \
                                                                        x < image_size - half;     \
                                                                        x++) {                     \
    value list[listed];                                                                            \
    int n = 0;                                                                                     \
    for (int zz = -half; zz <= half; zz++)                                                         \
      for (int yy = -half; yy <= half; yy++)                                                       \
        for (int xx = -half; xx <= half; xx++)                                                     \
          list[n++] =                                                                              \
              image[(x + xx) + (y + yy) * image_size + (z + zz) * image_size * image_size];        \
    for (int i = 0; i < listed - 1; i++)                                                           \
      for (int j = INNER_FIRST; j < listed; j++)                                                   \
        if (list[i] < list[j]) {                                                                   \
          value kept = list[i];                                                                    \
          list[i] = list[j];                                                                       \
          list[j] = kept;                                                                          \
        }                                                                                          \
    median[x + y * image_size + z * image_size * image_size] = list[listed / 2];                   \
  }

#ifdef FUNCTION
__attribute__((noinline)) static void filter(const value* image, value* median) { FILTER }
#endif

int main(int count, char** words) {
  int samples = atoi(words[1]), kind = atoi(words[2]);
  value *image = allocated(kind), *median = allocated(kind);
  if (count > 3) omp_set_num_threads(atoi(words[3]));
  make_image(image);
  for (int sample = 0; sample < samples; ++sample) {
    double wall = omp_get_wtime();
    clock_t processor = clock();
#ifdef FUNCTION
    filter(image, median);
#else
    FILTER
#endif
    processor = clock() - processor;
    print_sample(omp_get_wtime() - wall, (double)processor / CLOCKS_PER_SEC);
  }
  report(image, median);
}
