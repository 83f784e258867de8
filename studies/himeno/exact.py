"""The benchmark's residual after n iterations, in closed form, for any grid; and how far a program's may be from it.

With a = c = 1, a_3 = 1/6, b = 0 an iteration is the damped Jacobi step of Laplace's equation; the residual is 1 / (3 (nz - 1)^2) everywhere
at first, because p is a parabola in z, and each of its sine modes decays by itself (apps/himeno/exact.hpp has the derivation).
"""

import math

import numpy as np

from .settings import Settings

OMEGA = 0.8
FLOPS = 34  # of an interior point and iteration, by the benchmark's definition
ROUNDING = {"single": 2.0**-24, "double": 2.0**-53}
LEAST = {"single": 1e-3, "double": 1e-9}


def interior(grid: tuple[int, int, int]) -> int:
    return math.prod(extent - 2 for extent in grid)


def gosa(grid: tuple[int, int, int], iterations: int) -> float:
    """Sum of squared residuals of the last of so many iterations, over interior points."""
    squares, shares = [], []
    for extent in grid:
        inside = extent - 2
        mode = np.arange(1, inside + 1, 2)  # a constant has odd modes only
        angle = math.pi * mode / (inside + 1)
        squares.append(2.0 / (inside + 1) / np.tan(angle / 2.0) ** 2)
        shares.append(np.sin(angle / 2.0) ** 2)
    total = 0.0
    plane = shares[0][:, None] + shares[1][None, :]
    weight = squares[0][:, None] * squares[1][None, :]
    for square, share in zip(squares[2], shares[2], strict=True):
        decay = 1.0 - OMEGA * 2.0 / 3.0 * (plane + share)
        total += square * float((weight * decay ** (2 * (iterations - 1))).sum())
    return total / (9.0 * (grid[2] - 1) ** 4)


def tolerance(grid: tuple[int, int, int], iterations: int, precision: str) -> float:
    """Relative: 1/6 and p are rounded, and the residual is their small difference."""
    unit, count = ROUNDING[precision], interior(grid)
    own = gosa(grid, iterations)
    return max(LEAST[precision], 2.0 * unit * math.sqrt(count / own) + count * unit**2 / own)


def grid_of(settings: Settings, size: str) -> tuple[int, int, int]:
    return settings.grids[size]
