/* A plain ping-pong by the definition of the Intel MPI Benchmarks: rank 0 sends, rank 1 answers
   with as many bytes; the time of a message is half of the round trip. Arguments: samples, seconds
   for each sample at most, sizes in bytes. Prints one line a sample: bytes seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double ping_pong(int rank, char* outgoing, char* incoming, int bytes, int iterations) {
  double start = 0.0;
  for (int i = 0; i < iterations; ++i) {
    if (i == 0) start = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(outgoing, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(incoming, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(incoming, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(outgoing, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  }
  return 0.5 * (MPI_Wtime() - start) / iterations;
}

/* 1000 iterations, fewer when they would move more than 40 MB or take longer than a sample may. */
static int iterations_of(int bytes, double message_s, double sample_s) {
  double iterations = 1000.0;
  if (bytes > 40000) iterations = 40e6 / bytes;
  if (2.0 * message_s * iterations > sample_s) iterations = sample_s / (2.0 * message_s);
  return iterations < 1.0 ? 1 : (int)iterations;
}

static char* allocate(int bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, bytes > 0 ? (size_t)bytes : 1) != 0)
    MPI_Abort(MPI_COMM_WORLD, 4);
  memset(memory, 1, bytes > 0 ? (size_t)bytes : 1);
  return memory;
}

int main(int count, char** arguments) {
  int rank = 0, ranks = 0, longest = 0;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2 || count < 4) {
    if (rank == 0)
      fprintf(stderr, "pingpong_reference: start two ranks with: samples seconds sizes...\n");
    MPI_Finalize();
    return 2;
  }
  const int samples = atoi(arguments[1]);
  const double sample_s = atof(arguments[2]);
  for (int i = 3; i < count; ++i)
    if (atoi(arguments[i]) > longest) longest = atoi(arguments[i]);
  char *outgoing = allocate(longest), *incoming = allocate(longest);
  int* iterations = calloc((size_t)count, sizeof *iterations);
  for (int i = 3; i < count; ++i) {
    const int bytes = atoi(arguments[i]);
    ping_pong(rank, outgoing, incoming, bytes, 5);
    iterations[i] = iterations_of(bytes, ping_pong(rank, outgoing, incoming, bytes, 5), sample_s);
  }
  MPI_Bcast(iterations, count, MPI_INT, 0, MPI_COMM_WORLD);
  for (int sample = 0; sample < samples; ++sample)
    for (int i = 3; i < count; ++i) {
      const int bytes = atoi(arguments[i]);
      ping_pong(rank, outgoing, incoming, bytes, 2);
      const double seconds = ping_pong(rank, outgoing, incoming, bytes, iterations[i]);
      if (rank == 0) printf("%d %.9e\n", bytes, seconds);
    }
  free(iterations);
  free(outgoing);
  free(incoming);
  MPI_Finalize();
  return 0;
}
