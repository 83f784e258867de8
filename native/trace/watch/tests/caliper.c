/* In Caliper's place: tells at the end how many of its functions came through to it. */
#include <stdio.h>

static int begun, ended;
void cali_begin_region(const char* name) { begun += name && *name; }
void cali_end_region(const char* name) { ended += name && *name; }
__attribute__((destructor)) static void tell(void) {
  printf("caliper: %d begun, %d ended\n", begun, ended);
}
