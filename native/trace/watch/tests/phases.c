/* Two ranks: three parts of the CPU time in the phase "solve", one in "output". */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;
__attribute__((noinline)) void compute(long iterations) {
  uint64_t x = 88172645463325252u;
  for (long i = 0; i < iterations; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink ^= x;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  const long rounds = atol(words[1]);
  for (long i = 0; i < rounds; i++) {
    MPI_Pcontrol(1, "solve");
    compute(30000);
    MPI_Pcontrol(-1, "solve");
    MPI_Pcontrol(1, "output");
    compute(10000);
    MPI_Pcontrol(-1, "output");
  }
  MPI_Pcontrol(0);
  compute(10000 * rounds);
  MPI_Pcontrol(1);
  MPI_Finalize();
  return 0;
}
