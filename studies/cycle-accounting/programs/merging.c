#include "kernel.h"
/* An indirect sum of two arrays into a third; after: all three are one array of three rows. */
KERNEL {
  for (int i = 0; i < rows * columns; i++) {
#ifdef AFTER
    Real* const own = a + 3L * list[i];
    own[0] = own[1] + own[2];
#else
    a[list[i]] = b[list[i]] + c[list[i]];
#endif
  }
}
