/* Which clock the records use, how it relates to CLOCK_MONOTONIC, and how that relates to rank 0's.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "real.h"

#define READINGS 50
#define EXCHANGES 100

static void read_line(const char* path, char* text, size_t size) {
  FILE* file = fopen(path, "r");
  text[0] = 0;
  if (!file) return;
  if (!fgets(text, (int)size, file)) text[0] = 0;
  text[strcspn(text, "\n")] = 0;
  fclose(file);
}

/* The time stamp counter counts only when the processor says that it never stops and the kernel has
 * not given it up. */
void hk_choose_clock(void) {
  hk.use_tsc = 0;
#if defined(__x86_64__)
  unsigned a, b, c, d;
  char known[256];
  const char* wish = getenv("HAKARU_TRACE_CLOCK");
  if (wish && strcmp(wish, "monotonic") == 0) return;
  if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & (1u << 8))) return;
  read_line("/sys/devices/system/clocksource/clocksource0/available_clocksource", known,
            sizeof known);
  hk.use_tsc = known[0] == 0 || strstr(known, "tsc") != NULL;
#endif
}

/* Both clocks at one moment: of several readings the one that took shortest. */
hakaru_raw_calibration hk_calibrate(void) {
  hakaru_raw_calibration best = {0, 0};
  uint64_t shortest = UINT64_MAX;
  for (int reading = 0; reading < READINGS; reading++) {
    uint64_t before = hk_ticks();
    uint64_t now = hk_monotonic_ns();
    uint64_t after = hk_ticks();
    if (after - before >= shortest) continue;
    shortest = after - before;
    best.ticks = before + shortest / 2;
    best.monotonic_ns = now;
  }
  return best;
}

/* HAKARU_TRACE_BOOT_ID: another name for this host's clock, for containers that hide the real one.
 */
void hk_read_boot_id(char* text, size_t size) {
  const char* given = getenv("HAKARU_TRACE_BOOT_ID");
  if (given && *given)
    snprintf(text, size, "%s", given);
  else
    read_line("/proc/sys/kernel/random/boot_id", text, size);
}

typedef struct {
  int64_t offset_ns;
  uint64_t round_trip_ns, monotonic_ns, valid;
} offset;

static MPI_Comm private_world = MPI_COMM_NULL; /* only when there is more than one kernel */
static int* representatives; /* rank 0: the rank that speaks for the host of rank i */
static int own_representative;

/* Rank 0 answers with its clock; the other side keeps the exchange with the shortest round trip. */
static offset exchange_clocks(int rank, int partner) {
  offset best = {0, UINT64_MAX, 0, 1};
  for (int i = 0; i < EXCHANGES; i++) {
    uint64_t theirs = 0;
    if (rank == 0) {
      hk_real.MPI_Recv(NULL, 0, MPI_BYTE, partner, 0, private_world, MPI_STATUS_IGNORE);
      theirs = hk_monotonic_ns();
      hk_real.MPI_Send(&theirs, sizeof theirs, MPI_BYTE, partner, 0, private_world);
      continue;
    }
    uint64_t before = hk_monotonic_ns();
    hk_real.MPI_Send(NULL, 0, MPI_BYTE, 0, 0, private_world);
    hk_real.MPI_Recv(&theirs, sizeof theirs, MPI_BYTE, 0, 0, private_world, MPI_STATUS_IGNORE);
    uint64_t after = hk_monotonic_ns();
    if (after - before >= best.round_trip_ns) continue;
    best.round_trip_ns = after - before;
    best.monotonic_ns = before + best.round_trip_ns / 2;
    best.offset_ns = (int64_t)(theirs - best.monotonic_ns);
  }
  return best;
}

static uint64_t own_kernel(void) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  char boot_id[64];
  hk_read_boot_id(boot_id, sizeof boot_id);
  for (const char* c = boot_id; *c; c++) hash = (hash ^ (uint8_t)*c) * 1099511628211u;
  return hash;
}

/* The lowest rank of every kernel speaks for it. Returns whether there is more than one kernel. */
static int choose_representatives(int rank, int size) {
  uint64_t own = own_kernel();
  uint64_t* kernels = rank == 0 ? malloc((size_t)size * sizeof *kernels) : NULL;
  int several = 0;
  if (rank == 0) representatives = malloc((size_t)size * sizeof *representatives);
  hk_real.MPI_Gather(&own, sizeof own, MPI_BYTE, kernels, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; i++) {
    representatives[i] = i;
    for (int j = 0; j < i; j++)
      if (representatives[j] == j && kernels[j] == kernels[i]) {
        representatives[i] = j;
        break;
      }
    several |= representatives[i] != 0;
  }
  free(kernels);
  hk_real.MPI_Bcast(&several, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (several)
    hk_real.MPI_Scatter(representatives, 1, MPI_INT, &own_representative, 1, MPI_INT, 0,
                        MPI_COMM_WORLD);
  return several;
}

static void store(int which, offset value) {
  if (!hk.header) return; /* a rank without a file takes part all the same */
  hakaru_raw_synchronisation* s = &hk.header->synchronisation[which];
  s->exchanges = EXCHANGES;
  s->monotonic_ns = value.monotonic_ns;
  s->offset_ns = value.offset_ns;
  s->round_trip_ns = value.round_trip_ns;
  s->valid = (uint32_t)value.valid;
}

/* which 0: after MPI_Init; 1: before MPI_Finalize. All ranks of the world call it. */
void hk_synchronise(int which) {
  int rank = 0, size = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  offset own = {0, 0, hk_monotonic_ns(), 2};
  if (which == 0 && choose_representatives(rank, size))
    hk_real.MPI_Comm_dup(MPI_COMM_WORLD, &private_world);
  if (private_world == MPI_COMM_NULL) return store(which, own);
  offset* all = rank == 0 ? malloc((size_t)size * sizeof *all) : NULL;
  if (rank == 0) all[0] = own;
  for (int i = 1; rank == 0 && i < size; i++) {
    if (representatives[i] == i) {
      exchange_clocks(0, i);
      hk_real.MPI_Recv(&all[i], sizeof all[i], MPI_BYTE, i, 1, private_world, MPI_STATUS_IGNORE);
    } else {
      all[i] = all[representatives[i]];
    }
  }
  if (rank != 0 && own_representative == rank) {
    own = exchange_clocks(rank, 0);
    hk_real.MPI_Send(&own, sizeof own, MPI_BYTE, 0, 1, private_world);
  }
  hk_real.MPI_Scatter(all, sizeof own, MPI_BYTE, &own, sizeof own, MPI_BYTE, 0, private_world);
  free(all);
  store(which, own);
}

void hk_end_synchronisation(void) {
  if (private_world != MPI_COMM_NULL) hk_real.MPI_Comm_free(&private_world);
  free(representatives);
  representatives = NULL;
}
