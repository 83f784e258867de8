! What the compiler is told: as in kernel.h.
#ifdef BITS
#define REAL_ integer(c_int64_t)
#define ZERO 0_c_int64_t
#define PLUS_ONE(x) ieor(x, 1_c_int64_t)
#define OVER(x, y) ieor(x, y)
#define AND_PRODUCT(s, x, y) ieor(ieor(s, x), y)
#else
#define REAL_ real(c_double)
#define ZERO 0.0_c_double
#define PLUS_ONE(x) (x) + 1.0_c_double
#define OVER(x, y) (x) / (y)
#define AND_PRODUCT(s, x, y) (s) + (x) * (y)
#endif
