/* Regions that a program tells by other interfaces than MPI_Pcontrol: phases as well.
 *
 * Kokkos loads what KOKKOS_TOOLS_LIBS (before version 3.7 KOKKOS_PROFILE_LIBRARY) names and calls
 * its kokkosp_ functions; this library is named there. Caliper's annotations are functions of its C
 * interface, which are called through this library. Both interfaces tell regions of the main
 * thread; those of other threads are left alone, since a process has one innermost phase. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "watch.h"

#define MOST_OPEN 64u
#define MOST_NAMES 1024u

typedef struct {
  char name[252];
  int told; /* its begin was recorded, so its end is */
} region;
static region open_regions[MOST_OPEN];
static uint32_t open_count; /* may be more than are kept */

static int on_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

#ifdef HAKARU_TRACE_WITH_MPI
static int tell(const char* name, int begin) { return hkw_tell_region_to_tracer(name, begin); }
#else
static int tell(const char* name, int begin) {
  static char names[MOST_NAMES][252];
  static uint32_t count;
  uint32_t number = 0;
  while (number < count && strcmp(names[number], name) != 0) number++;
  if (number == MOST_NAMES) return 0;
  if (number == count) snprintf(names[count++], sizeof names[0], "%s", name);
  hkw_tell_phase(number + 1, name, begin);
  return 1;
}
#endif

static void begin_region(const char* name) {
  if (!name || !*name || !on_main_thread()) return;
  if (open_count < MOST_OPEN) {
    region* begun = &open_regions[open_count];
    snprintf(begun->name, sizeof begun->name, "%s", name);
    begun->told = tell(begun->name, 1);
  }
  open_count++;
}

/* `name`: NULL for the innermost, whatever it is called. */
static void end_region(const char* name) {
  if (open_count == 0 || !on_main_thread()) return;
  const int kept = open_count <= MOST_OPEN;
  const region* ended = kept ? &open_regions[open_count - 1] : NULL;
  if (ended && name && strncmp(ended->name, name, sizeof ended->name - 1) != 0) return;
  if (ended && ended->told) tell(ended->name, 0);
  open_count--;
}

/* ---------------------------------------------------------------- Kokkos-Tools */

typedef struct {
  bool requires_global_fencing;
  bool padding[255];
} kokkos_settings;

HKW_EXPORT void kokkosp_push_profile_region(const char* name) { begin_region(name); }
HKW_EXPORT void kokkosp_pop_profile_region(void) { end_region(NULL); }
/* Without it Kokkos would wait for its devices at every event. */
HKW_EXPORT void kokkosp_request_tool_settings(uint32_t count, kokkos_settings* settings) {
  if (count > 0) settings->requires_global_fencing = false;
}

/* ---------------------------------------------------------------- Caliper */

typedef void mark(const char* name);

static void pass_on(mark** real, const char* function, const char* name) {
  if (!*real) *real = (mark*)dlsym(RTLD_NEXT, function);
  if (*real) (*real)(name);
}

#define PASSED_ON(function, does)              \
  HKW_EXPORT void function(const char* name) { \
    static mark* real;                         \
    pass_on(&real, #function, name);           \
    does(name);                                \
  }
PASSED_ON(cali_begin_region, begin_region)
PASSED_ON(cali_begin_phase, begin_region)
PASSED_ON(cali_begin_comm_region, begin_region)
PASSED_ON(cali_end_region, end_region)
PASSED_ON(cali_end_phase, end_region)
PASSED_ON(cali_end_comm_region, end_region)
