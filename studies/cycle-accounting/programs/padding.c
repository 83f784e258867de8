#include "kernel.h"
/* A few rows of every column: with columns a power of two apart, all of them want the same lines of
 * the first cache. LEADING alone tells the two forms apart. */
KERNEL {
  for (int j = 1; j < columns - 1; j++)
    for (int i = 0; i < rows; i++)
      a[i + leading * j] =
          0.25 * (b[i + leading * (j - 1)] + 2.0 * b[i + leading * j] + b[i + leading * (j + 1)]);
}
