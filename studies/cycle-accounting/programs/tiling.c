#include "kernel.h"
/* A transpose, whole or by tiles of TILE x TILE. */
#ifdef AFTER
static int least(int x, int y) { return x < y ? x : y; }
#endif
KERNEL {
#ifdef AFTER
  for (int jj = 0; jj < columns; jj += TILE)
    for (int ii = 0; ii < rows; ii += TILE)
      for (int j = jj; j < least(jj + TILE, columns); j++)
        for (int i = ii; i < least(ii + TILE, rows); i++) a[i + leading * j] = b[j + leading * i];
#else
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) a[i + leading * j] = b[j + leading * i];
#endif
}
