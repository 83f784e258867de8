#include "kernel.h"
/* An indirect read, without and with a prefetch of what is read AHEAD elements later. */
KERNEL {
  const int count = rows * columns;
#ifdef AFTER
  const int early = count > AHEAD ? count - AHEAD : 0;
  for (int i = 0; i < early; i++) {
    __builtin_prefetch(&b[list[i + AHEAD]]);
    a[i] = b[list[i]];
  }
  for (int i = early; i < count; i++) a[i] = b[list[i]];
#else
  for (int i = 0; i < count; i++) a[i] = b[list[i]];
#endif
}
