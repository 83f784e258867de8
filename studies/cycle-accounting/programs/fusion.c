#include "kernel.h"
/* Two double loops, the second of which reads what the first wrote, here and one column before;
 * peeled of its first column, the first can be fused with the second. */
KERNEL {
#ifdef AFTER
  for (int i = 0; i < rows; i++) c[i] = 0.5 * b[i];
  for (int j = 1; j < columns; j++)
    for (int i = 0; i < rows; i++) {
      const Real own = 0.5 * b[i + leading * j];
      c[i + leading * j] = own;
      a[i + leading * j] = own + c[i + leading * (j - 1)];
    }
#else
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) c[i + leading * j] = 0.5 * b[i + leading * j];
  for (int j = 1; j < columns; j++)
    for (int i = 0; i < rows; i++)
      a[i + leading * j] = c[i + leading * j] + c[i + leading * (j - 1)];
#endif
}
