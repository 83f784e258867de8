#include "kernel.h"
KERNEL {
  for (int i = 0; i < rows; i++) a[i] = b[i];
}
