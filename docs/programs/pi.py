"""The area of a circle by the midpoint rule, n times 100,000 points over all ranks, with mpi4py."""

import sys
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
points = int(sys.argv[1]) * 100_000
began = time.perf_counter()
first, last = points * world.rank // world.size, points * (world.rank + 1) // world.size
total = sum(4.0 / (1.0 + ((i + 0.5) / points) ** 2) for i in range(first, last))
pi = world.allreduce(total) / points
if world.rank == 0:
    print(f"pi = {pi:.12f}")
    print(f"time = {time.perf_counter() - began:.6f} s")
