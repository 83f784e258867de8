"""Our NAS FT on one rank against NPB's."""

from _npb import compare

# NPB 3.4.1, Fortran and OpenMP with one thread, -O3 -march=native, 2 cores of the same class.
TARGETS = ("ft",)
MEASURED_ONCE = 3654e6


def run() -> list[dict]:
    return compare("ft", ["class=A"], MEASURED_ONCE)
