/* Arguments: bytes that are used for some time between its first and its last calls; how often the
 * ranks meet meanwhile, and afterwards. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void meet(int times) {
  for (int i = 0; i < times; i++) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  size_t bytes = argc > 1 ? (size_t)atol(argv[1]) : 0;
  int times = argc > 2 ? atoi(argv[2]) : 2000;
  MPI_Init(&argc, &argv);
  meet(times / 20);
  if (bytes > 0) {
    void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 2);
    memset(memory, 1, bytes);
    meet(times);
    munmap(memory, bytes);
  }
  meet(times);
  MPI_Finalize();
  return 0;
}
