/* Copies of whole fields: calls of memcpy and memmove of at least half a field, counted at the link
 * (-Wl,--wrap). The timed programs are linked without. */
#include <stddef.h>
#include <stdio.h>

static long copies;
static double bytes;

void counted_reset(void) {
  copies = 0;
  bytes = 0.0;
}

void counted_print(int applications) {
#ifdef COUNTED
  printf("copies %.6f\nbytes %.6f\n", (double)copies / applications, bytes / applications);
#else
  (void)applications;
#endif
}

#ifdef COUNTED
void* __real_memcpy(void* to, const void* from, size_t size);
void* __real_memmove(void* to, const void* from, size_t size);

static void count(size_t size) {
  if (size < COUNTED) return;
  ++copies;
  bytes += (double)size;
}

void* __wrap_memcpy(void* to, const void* from, size_t size) {
  count(size);
  return __real_memcpy(to, from, size);
}

void* __wrap_memmove(void* to, const void* from, size_t size) {
  count(size);
  return __real_memmove(to, from, size);
}
#endif
