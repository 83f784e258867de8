"""Two ranks: one message of ten doubles, one sum, one Python object."""

from array import array

from mpi4py import MPI

comm = MPI.COMM_WORLD
values, sums = array("d", [comm.rank] * 10), array("d", [0] * 10)
if comm.rank == 0:
    comm.Send([values, MPI.DOUBLE], dest=1, tag=50)
else:
    comm.Recv([values, MPI.DOUBLE], source=MPI.ANY_SOURCE, tag=50)
comm.Allreduce([values, MPI.DOUBLE], [sums, MPI.DOUBLE])
assert comm.bcast({"a": 1} if comm.rank == 0 else None) == {"a": 1}
