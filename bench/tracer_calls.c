/* Cost of a traced MPI call: the same call through the preloaded wrapper and straight into the MPI
 * library, in short alternating blocks of one run. Prints for every pair of blocks: name, seconds a
 * call traced, seconds a call plain. Usage: tracer_calls ROUNDS CALLS_IN_A_BLOCK */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  __typeof__(&MPI_Iprobe) iprobe;
  __typeof__(&MPI_Sendrecv) sendrecv;
  __typeof__(&MPI_Isend) isend;
  __typeof__(&MPI_Irecv) irecv;
  __typeof__(&MPI_Waitall) waitall;
  __typeof__(&MPI_Send) send;
  __typeof__(&MPI_Recv) recv;
  __typeof__(&MPI_Barrier) barrier;
  __typeof__(&MPI_Pcontrol) pcontrol;
} functions;

static char* phase; /* on the heap, as std::string keeps longer names */

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void iprobe(const functions* f, int rank) {
  int flag;
  (void)rank;
  f->iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void sendrecv(const functions* f, int rank) {
  (void)rank;
  f->sendrecv(NULL, 0, MPI_BYTE, 0, 1, NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void requests(const functions* f, int rank) { /* three calls */
  MPI_Request both[2];
  (void)rank;
  f->irecv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF, &both[0]);
  f->isend(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_SELF, &both[1]);
  f->waitall(2, both, MPI_STATUSES_IGNORE);
}

static void pingpong(const functions* f, int rank) { /* four calls, one after the other */
  if (rank == 0) f->send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
  f->recv(NULL, 0, MPI_BYTE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) f->send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
}

static void barrier(const functions* f, int rank) {
  (void)rank;
  f->barrier(MPI_COMM_SELF);
}

static void marks(const functions* f, int rank) { /* two calls */
  (void)rank;
  f->pcontrol(1, phase);
  f->pcontrol(-1, phase);
}

static double block(void (*call)(const functions*, int), const functions* f, int rank, int calls,
                    int number) {
  double begin = now_s();
  for (int i = 0; i < calls; i++) call(f, rank);
  return (now_s() - begin) / calls / number;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*call)(const functions*, int);
    int number, together;
  } cases[] = {{"MPI_Iprobe", iprobe, 1, 0},
               {"MPI_Barrier", barrier, 1, 0},
               {"MPI_Sendrecv", sendrecv, 1, 0},
               {"MPI_Irecv + MPI_Isend + MPI_Waitall", requests, 3, 0},
               {"MPI_Pcontrol, a mark of a name on the heap", marks, 2, 0},
               {"MPI_Send + MPI_Recv on two ranks", pingpong, 4, 1}};
  int rounds = argc > 1 ? atoi(argv[1]) : 101, calls = argc > 2 ? atoi(argv[2]) : 1000, rank = 0,
      size = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Dl_info library;
  if (!dladdr(dlsym(RTLD_DEFAULT, "MPI_Wtime"), &library))
    return 4; /* not wrapped: it lies in the MPI library */
  void* mpi = dlopen(library.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (!mpi) return 4;
#define PLAIN(name) ((__typeof__(&name))dlsym(mpi, "P" #name))
  functions plain = {PLAIN(MPI_Iprobe), PLAIN(MPI_Sendrecv), PLAIN(MPI_Isend),
                     PLAIN(MPI_Irecv),  PLAIN(MPI_Waitall),  PLAIN(MPI_Send),
                     PLAIN(MPI_Recv),   PLAIN(MPI_Barrier),  PLAIN(MPI_Pcontrol)};
  functions traced = {MPI_Iprobe, MPI_Sendrecv, MPI_Isend,   MPI_Irecv,   MPI_Waitall,
                      MPI_Send,   MPI_Recv,     MPI_Barrier, MPI_Pcontrol};
  phase = strdup("a phase of the benchmark");
  if (plain.send == traced.send)
    fprintf(stderr, "the tracer is not loaded: both sides are plain\n");
  for (int round = -1; round < rounds; round++) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
      if (cases[c].together ? size < 2 || rank > 1 : rank != 0) continue;
      const functions* first = round % 2 ? &plain : &traced;
      const functions* second = round % 2 ? &traced : &plain;
      double one = block(cases[c].call, first, rank, calls, cases[c].number);
      double two = block(cases[c].call, second, rank, calls, cases[c].number);
      if (rank == 0 && round >= 0)
        printf("%s\t%.6e\t%.6e\n", cases[c].name, round % 2 ? two : one, round % 2 ? one : two);
    }
  }
  free(phase);
  MPI_Finalize();
}
