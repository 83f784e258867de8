/* Two ranks whose MPI calls come from several threads, ROUNDS times. argv[1]:
 * single          whichever thread comes first exchanges for its team (MPI_THREAD_SERIALIZED), as
 * in `omp single` second          one communication thread, which is not the main one (SERIALIZED)
 * robin           the threads take turns (SERIALIZED)
 * tags            each thread exchanges with its like of the other rank, by tag (MULTIPLE)
 * communicators   each thread adds on a communicator of its own (MULTIPLE)
 * progress        the main thread starts, another one completes (MULTIPLE) */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define THREADS 2
#define ROUNDS 20
static int rank, turn, posted, completed;
static pthread_barrier_t team;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static MPI_Comm own[THREADS];
static MPI_Request started;

static void exchange(int tag) {
  double out = tag, in = 0;
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, 1 - rank, tag, &in, 1, MPI_DOUBLE, 1 - rank, tag,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void change(int* what, int value) {
  pthread_mutex_lock(&lock);
  *what = value;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

static void wait_for(const int* what, int value) {
  pthread_mutex_lock(&lock);
  while (*what != value) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void* single(void* argument) {
  (void)argument;
  for (int i = 0; i < ROUNDS; i++) {
    if (pthread_barrier_wait(&team) == PTHREAD_BARRIER_SERIAL_THREAD) exchange(i);
    pthread_barrier_wait(&team);
  }
  return NULL;
}

static void* second(void* argument) {
  MPI_Pcontrol(1, "communicate");
  for (int i = 0; i < ROUNDS && argument; i++) exchange(i);
  MPI_Pcontrol(-1, "communicate");
  return NULL;
}

static void* robin(void* argument) {
  int me = (int)(intptr_t)argument;
  for (int i = 0; i < ROUNDS; i++) {
    wait_for(&turn, me);
    exchange(2 * i + me);
    change(&turn, (me + 1) % THREADS);
  }
  return NULL;
}

static void* tags(void* argument) {
  for (int i = 0; i < ROUNDS; i++) {
    pthread_barrier_wait(&team);
    exchange((int)(intptr_t)argument);
  }
  return NULL;
}

static void* communicators(void* argument) {
  double sum = 1, all = 0;
  for (int i = 0; i < ROUNDS; i++) {
    pthread_barrier_wait(&team);
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, own[(intptr_t)argument]);
  }
  return NULL;
}

static void* progress(void* argument) {
  static double value;
  for (int i = 1; i <= ROUNDS; i++) {
    if (argument) {
      wait_for(&posted, i);
      MPI_Wait(&started, MPI_STATUS_IGNORE);
      change(&completed, i);
    } else {
      if (rank == 0)
        MPI_Irecv(&value, 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD, &started);
      else
        MPI_Isend(&value, 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, &started);
      change(&posted, i);
      exchange(1000 + i);
      wait_for(&completed, i);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int level;
    void* (*work)(void*);
  } programs[] = {
      {"single", MPI_THREAD_SERIALIZED, single},
      {"second", MPI_THREAD_SERIALIZED, second},
      {"robin", MPI_THREAD_SERIALIZED, robin},
      {"tags", MPI_THREAD_MULTIPLE, tags},
      {"communicators", MPI_THREAD_MULTIPLE, communicators},
      {"progress", MPI_THREAD_MULTIPLE, progress},
  };
  for (size_t p = 0; argc > 1 && p < sizeof programs / sizeof *programs; p++) {
    if (strcmp(programs[p].name, argv[1]) != 0) continue;
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, programs[p].level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < programs[p].level) printf("too low a thread level\n");
    for (int t = 0; t < THREADS; t++) MPI_Comm_dup(MPI_COMM_WORLD, &own[t]);
    pthread_barrier_init(&team, NULL, THREADS);
    if (provided >= programs[p].level) {
      pthread_create(&thread, NULL, programs[p].work, (void*)1);
      if (programs[p].work != second) programs[p].work(NULL);
      pthread_join(thread, NULL);
    }
    return MPI_Finalize();
  }
  return 2;
}
