#include "kernel.h"
KERNEL {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++) a[i + leading * j] = PLUS_ONE(b[i + leading * j]);
}
