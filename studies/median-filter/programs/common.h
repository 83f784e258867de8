/* What the programs of all languages share: memory in pages of a chosen kind, the image, the check,
 * what is printed. */
#include <stdint.h>

#ifdef REAL_VALUES
typedef double value;
#else
typedef int32_t value;
#endif

/* IMAGE points along each axis, windows of MASK; both are set by the compiler's command line. */
enum { image_size = IMAGE, mask_size = MASK, half = MASK / 2, listed = MASK * MASK * MASK };

/* An array of the image's size. Kinds: 0 base pages, 1 transparent large ones, 2 large ones from
 * the kernel's pool. */
void* allocated(int kind);
void make_image(value* image);
/* Prints what the kernel has given both arrays, how many of the interior points that are looked at
   are not the median of their sorted window, and the bits of the result. Large images are looked at
   in every 16th point. */
void report(const value* image, const value* median);
void print_sample(double wall_s, double processor_s);
