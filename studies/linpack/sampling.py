"""The time of a long elimination from replays of a few of its steps.

What K panels leave of a matrix is a smaller problem of the same kind, so a sample is the program itself on that problem with ``panels`` steps.
The time of a step is a smooth function of the order that is left; it is integrated by Gauss and Legendre's rule.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Replay = Callable[[int, int], ArrayLike]  # order and panels (0: all) -> s, of one run or of several


@dataclass(frozen=True)
class Steps:
    """``replay`` gives the time of a problem of an order with so many panels eliminated, each ``nb`` columns wide."""

    replay: Replay
    nb: int
    points: int
    window: int

    def step_s(self, left: float) -> NDArray[np.float64]:
        """Of one step where ``left`` rows are left: the second half of a window around it, so that the first panel, which nothing hides,
        falls out."""
        panels = max(int(left / self.nb), 3)
        window = max(min(self.window, (panels - 1) // 2), 1)
        order = max(round(left / self.nb + 1.5 * window), 2 * window + 1) * self.nb
        long, short = (np.asarray(self.replay(order, times * window)) for times in (2, 1))
        return np.maximum(long - short, 0.0) / window

    def total_s(self, n: int) -> float:
        """Of all n / nb steps of a run."""
        (one,) = self.totals_s(n)
        return one

    def totals_s(self, n: int) -> list[float]:
        """Of each of several runs."""
        places, weights = np.polynomial.legendre.leggauss(self.points)
        left = 0.5 * n * (places + 1.0)
        steps = sum(weight * self.step_s(float(one)) for one, weight in zip(left, weights, strict=True))
        return np.atleast_1d(0.5 * n * steps / self.nb).tolist()


def operations(n: float) -> float:
    """As HPL counts them."""
    return 2.0 / 3.0 * n**3 + 1.5 * n**2
