/* Calls that are only counted. */
#include <mpi.h>
#include <stddef.h>

static int no_query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int no_free(void* state) { return state ? MPI_SUCCESS : MPI_SUCCESS; }
static int no_cancel(void* state, int complete) {
  return state || complete ? MPI_SUCCESS : MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Request r;
  MPI_Init(&argc, &argv);
  MPI_Grequest_start(no_query, no_free, no_cancel, NULL, &r);
  MPI_Grequest_complete(r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
