/* Two ranks: every one-sided operation and synchronisation. Rank 0 works on rank 1's window. */
#include <mpi.h>

static double local[8];

static void fenced(int rank, MPI_Win win) {
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (rank == 0) MPI_Put(local, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Get(local, 3, MPI_DOUBLE, 1, 0, 3, MPI_DOUBLE, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void posted(int rank, MPI_Win win) {
  MPI_Group all, other;
  int partner = 1 - rank, flag = 0;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &partner, &other);
  if (rank == 0) {
    MPI_Win_start(other, 0, win);
    MPI_Accumulate(local, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_complete(win);
    MPI_Win_start(other, 0, win);
    MPI_Win_complete(win);
  } else {
    MPI_Win_post(other, 0, win);
    MPI_Win_wait(win);
    MPI_Win_post(other, 0, win);
    while (!flag) MPI_Win_test(win, &flag);
  }
  MPI_Group_free(&all);
  MPI_Group_free(&other);
}

static void locked(int rank, MPI_Win win) {
  MPI_Request r[3];
  double result[4], zero = 0;
  long new_value = 1, old_value = 0, seen;
  if (rank == 1) return;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Get_accumulate(local, 2, MPI_DOUBLE, result, 2, MPI_DOUBLE, 1, 0, 2, MPI_DOUBLE, MPI_SUM,
                     win);
  MPI_Win_flush(1, win);
  MPI_Fetch_and_op(&zero, result, MPI_DOUBLE, 1, 0, MPI_SUM, win);
  MPI_Win_flush_local(1, win);
  MPI_Compare_and_swap(&new_value, &old_value, &seen, MPI_LONG, 1, 4, win);
  MPI_Win_unlock(1, win);
  MPI_Win_lock_all(0, win);
  MPI_Rput(local, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win, &r[0]);
  MPI_Raccumulate(local, 1, MPI_DOUBLE, 1, 1, 1, MPI_DOUBLE, MPI_SUM, win, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Win_flush_all(win);
  MPI_Rget(result, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win, &r[0]);
  MPI_Rget_accumulate(local, 1, MPI_DOUBLE, result + 1, 1, MPI_DOUBLE, 1, 2, 1, MPI_DOUBLE, MPI_SUM,
                      win, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
}

int main(int argc, char** argv) {
  static double memory[8];
  int rank;
  void* base;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  fenced(rank, win);
  posted(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  locked(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_free(&win);
  MPI_Win_allocate_shared(32, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_free(&win);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
  MPI_Finalize();
}
