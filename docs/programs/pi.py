"""The area of a quarter of a circle by the midpoint rule, n million points over all ranks, with mpi4py."""

import sys
import time

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
points = int(sys.argv[1]) * 1_000_000
began = time.perf_counter()
first, last = points * world.rank // world.size, points * (world.rank + 1) // world.size
total = 0.0
for start in range(first, last, 1_000_000):
    x = (numpy.arange(start, min(start + 1_000_000, last)) + 0.5) / points
    total += float(numpy.sum(4.0 / (1.0 + x * x)))
pi = world.allreduce(total) / points
if world.rank == 0:
    print(f"pi = {pi:.12f}")
    print(f"time = {time.perf_counter() - began:.6f} s")
