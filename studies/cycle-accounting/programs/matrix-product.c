#include "kernel.h"
/* A = B C by columns, four of B at a time. */
KERNEL {
  for (int j = 0; j < columns; j++) {
    Real* restrict to = a + j * leading, *factor = c + j * leading;
    for (int i = 0; i < rows; i++) to[i] = ZERO;
    for (int k = 0; k < rows; k += 4) {
      const Real *one = b + k * leading, *two = one + leading, *three = two + leading,
                 *four = three + leading;
      const Real x = factor[k], y = factor[k + 1], z = factor[k + 2], w = factor[k + 3];
      for (int i = 0; i < rows; i++)
        to[i] = AND_PRODUCT(
            AND_PRODUCT(AND_PRODUCT(AND_PRODUCT(to[i], one[i], x), two[i], y), three[i], z),
            four[i], w);
    }
  }
}
