/* What the compiler is told: ROWS, COLUMNS, LEADING, AFTER (the tuned form), BITS (the arithmetic
 * is replaced by exclusive or, the cheapest thing that still needs every operand). */
enum { rows = ROWS, columns = COLUMNS, leading = LEADING };
#ifdef BITS
typedef unsigned long long Real;
#define ZERO 0
#define PLUS_ONE(x) ((x) ^ 1)
#define OVER(x, y) ((x) ^ (y))
#define AND_PRODUCT(s, x, y) ((s) ^ (x) ^ (y))
#else
typedef double Real;
#define ZERO 0.0
#define PLUS_ONE(x) ((x) + 1.0)
#define OVER(x, y) ((x) / (y))
#define AND_PRODUCT(s, x, y) ((s) + (x) * (y))
#endif
#define KERNEL                                                                                \
  void kernel(Real* restrict a, Real* restrict b, Real* restrict c, const int* restrict list, \
              double* restrict busy)
