/* Tells regions as Kokkos does (it loads the library that a variable names and calls what it finds
 * there) and as programs with Caliper's annotations do. Two thirds of the time are region "solve",
 * which lies in "step"; regions of another thread are not the process's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

void cali_begin_region(const char* name);
void cali_end_region(const char* name);

typedef struct {
  bool fencing, padding[255];
} settings;

static void (*push)(const char*);
static void (*pop)(void);

static void load(const char* variable) {
  const char* named = getenv(variable);
  void* library = named ? dlopen(named, RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (!library) return;
  push = (void (*)(const char*))dlsym(library, "kokkosp_push_profile_region");
  pop = (void (*)(void))dlsym(library, "kokkosp_pop_profile_region");
  void (*ask)(uint32_t, settings*) =
      (void (*)(uint32_t, settings*))dlsym(library, "kokkosp_request_tool_settings");
  settings asked = {true, {0}};
  if (ask) ask(1, &asked);
  printf("fences: %d\n", asked.fencing);
}

static void begin(const char* name, int caliper) {
  char own[64]; /* as std::string does, whose memory goes away */
  snprintf(own, sizeof own, "%s", name);
  if (caliper)
    cali_begin_region(own);
  else if (push)
    push(own);
  memset(own, '?', sizeof own - 1);
}

static void end(const char* name, int caliper) {
  if (caliper)
    cali_end_region(name);
  else if (pop)
    pop();
}

static void compute(double ms) {
  struct timespec now, start;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  while ((double)(now.tv_sec - start.tv_sec) * 1e3 + (double)(now.tv_nsec - start.tv_nsec) / 1e6 <
         ms);
}

static void* other(void* caliper) {
  begin("other thread", caliper != NULL);
  end("other thread", caliper != NULL);
  return NULL;
}

int main(int argc, char** argv) {
  int caliper = argc > 1 && strcmp(argv[1], "caliper") == 0;
  double ms = argc > 2 ? atof(argv[2]) : 5;
  if (!caliper) load(argc > 1 ? argv[1] : "KOKKOS_TOOLS_LIBS");
  begin("before", caliper);
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  for (int i = 0; i < 3; i++) {
    begin("step", caliper);
    begin("solve", caliper);
    compute(2 * ms);
    end("solve", caliper);
    compute(ms);
    pthread_t thread;
    pthread_create(&thread, NULL, other, caliper ? &thread : NULL);
    pthread_join(thread, NULL);
    end("step", caliper);
  }
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  end("before", caliper);
  return 0;
}
