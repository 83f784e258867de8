"""Our NAS SP on one rank against NPB's."""

from _npb import compare

# NPB 3.4.1, Fortran and OpenMP with one thread, -O3 -march=native, 2 cores of the same class.
TARGETS = ("sp",)
MEASURED_ONCE = 6163e6


def run() -> list[dict]:
    return compare("sp", ["class=A", "iterations=40"], MEASURED_ONCE)
