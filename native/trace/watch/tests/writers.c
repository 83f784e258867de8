/* Ranks write 8000 bytes each into one file: rank r those from 8000 r on. Arguments: file, way, and
 * by how many bytes the last rank is wrong (-100: it overlaps the one before; 100: it leaves a
 * hole). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES 8000
static char data[BYTES];

static void check(int good) {
  if (!good) MPI_Abort(MPI_COMM_WORLD, 9);
}

static void by_posix(const char* path, const char* way, long at) {
  int file = open(path, O_WRONLY);
  if (strcmp(way, "pwrite") == 0) {
    for (int i = 0; i < BYTES; i += 80) check(pwrite(file, data, 80, at + i) == 80);
  } else {
    check(lseek(file, at, SEEK_SET) == at);
    for (int i = 0; i < BYTES; i += 800) check(write(file, data, 800) == 800);
  }
  close(file);
}

static void by_stream(const char* path, long at) {
  FILE* file = fopen(path, "r+");
  check(fseek(file, at, SEEK_SET) == 0);
  for (int i = 0; i < BYTES; i += 100) check(fwrite(data, 50, 2, file) == 2);
  fclose(file);
}

static void by_map(const char* path, long at) {
  int file = open(path, O_RDWR);
  char* mapped = mmap(NULL, at + BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  check(mapped != MAP_FAILED);
  memset(mapped + at, 1, BYTES);
  munmap(mapped, at + BYTES);
  close(file);
}

static void by_mpi(const char* path, const char* way, int rank, int ranks, long wrong) {
  MPI_File file;
  MPI_Status status;
  const long at = (long)rank * BYTES + wrong;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  if (strcmp(way, "at") == 0) {
    MPI_File_write_at(file, at, data, BYTES, MPI_BYTE, &status);
  } else if (strcmp(way, "at_all") == 0) {
    MPI_File_set_view(file, at, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, 0, data, BYTES / 4, MPI_INT, MPI_STATUS_IGNORE);
  } else { /* view: blocks of 40 bytes in turns; each rank's start is its own */
    MPI_Datatype blocks;
    MPI_Type_vector(BYTES / 40, 10, 10 * ranks, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    MPI_File_set_view(file, 40 * rank + wrong, MPI_INT, blocks, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, BYTES / 8, MPI_INT, &status);
    MPI_File_write_all(file, data, BYTES / 8, MPI_INT, &status);
    MPI_Type_free(&blocks);
  }
  MPI_File_close(&file);
}

int main(int count, char** words) {
  int rank, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char *path = words[1], *way = words[2];
  const long wrong = rank == ranks - 1 ? atol(words[3]) : 0;
  memset(data, rank + 1, sizeof data);
  MPI_Pcontrol(1, "output");
  if (strncmp(way, "mpi_", 4) == 0) {
    by_mpi(path, way + 4, rank, ranks, wrong);
  } else {
    if (rank == 0) {
      int made = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
      if (strcmp(way, "map") == 0) check(ftruncate(made, (long)BYTES * ranks) == 0);
      close(made);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(way, "stream") == 0)
      by_stream(path, (long)rank * BYTES + wrong);
    else if (strcmp(way, "map") == 0)
      by_map(path, (long)rank * BYTES);
    else
      by_posix(path, way, (long)rank * BYTES + wrong);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(-1, "output");
  MPI_Finalize();
  return 0;
}
