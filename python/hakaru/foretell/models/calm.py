"""What launches take while nothing disturbs them, and how much longer they usually take.

Disturbances only add time: the fastest launches of a point tell the program's own growth, the others the machine's states. So growth laws
are fitted to the fastest launches, and what they say is multiplied by what all launches took over those, pooled over the points that keep
as many cores busy: states of a machine come and go and do not belong to a size.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from hakaru.foretell.models import noise
from hakaru.foretell.models.observations import Observation
from hakaru.foretell.models.usually import usually

SHARE = 0.3  # of a point's launches are its calm ones
LEAST = 2  # of them, where there are so many: one shows no spread
SEVERAL = 9  # launches that tell what runs usually take
ROWS = 3  # of as many launches, from which on those that follow each other are drawn together
ENOUGH = 10  # ratios of points with as many cores, below which all points count


def calmest(observation: Observation) -> Observation:
    """Its fastest launches."""
    totals = observation.totals()
    kept = max(math.ceil(SHARE * len(totals)), min(LEAST, len(totals)))
    order = sorted(range(len(totals)), key=totals.__getitem__)[:kept]
    launches = tuple(observation.launches[one] for one in order)
    return replace(observation, launches=launches, walls_s=(), elsewhere=())


@dataclass(frozen=True)
class Slower:
    """Ratios of launches to the middle of the calm ones of their point, in the order in which they ran where that is known: ``left_alone``
    (L,) without what the kernel counted as waiting for a processor, ``walls`` (L,) with it. Empty where no point was launched twice."""

    left_alone: np.ndarray
    walls: np.ndarray

    @property
    def middle(self) -> float:
        return float(usually(self.left_alone)) if self.left_alone.size else 1.0

    def disturbance(self, count: int, generator: np.random.Generator) -> "Disturbance":
        """With so many draws."""
        return Disturbance(self.middle, self._usual(count, generator), self._of_one(count, generator))

    def _usual(self, count: int, generator: np.random.Generator) -> np.ndarray:
        """States last longer than launches, so launches that followed each other are drawn (circular blocks: Politis & Romano, 1992, in
        Exploring the Limits of Bootstrap, p. 263); of few launches each by itself, since all such rows are nearly the same."""
        launches = self.left_alone.size
        if not launches:
            return np.ones(count)
        if launches < ROWS * SEVERAL:
            return usually(generator.choice(self.left_alone, (count, SEVERAL)))
        first = generator.integers(launches, size=(count, 1))
        return usually(self.left_alone[(first + np.arange(SEVERAL)) % launches])

    def _of_one(self, count: int, generator: np.random.Generator) -> np.ndarray:
        middle = float(np.median(self.walls)) if self.walls.size else 1.0
        return middle * noise.of_one_launch(self.walls / middle - 1.0, count, generator)


@dataclass(frozen=True)
class Disturbance:
    """What launches take over calm ones: the ``middle`` of all, draws (n,) of the middle of several at another time, and of any one."""

    middle: float
    usual: np.ndarray
    of_one: np.ndarray


def slower(observations: Sequence[Observation], calm: Sequence[Observation], cores: int) -> Slower:
    """Of launches on so many ``cores``, or on any where there are few."""
    found = [
        (every.point.cores, median(some.totals()), every)
        for every, some in zip(observations, calm, strict=True)
        if len(every.launches) > 1 and median(some.totals()) > 0.0
    ]
    own = [one for one in found if one[0] == cores]
    kept = own if sum(len(every.launches) for _, _, every in own) >= ENOUGH else found
    ran = [name for _, _, every in kept for name in every.usual_ids()]  # identifiers begin with the time
    left_alone = np.array([total / calm_s for _, calm_s, every in kept for total in every.totals()])
    order = np.argsort(ran, kind="stable") if len(ran) == left_alone.size else slice(None)
    walls = np.array([wall / calm_s for _, calm_s, every in kept for wall in every.walls()])
    return Slower(left_alone[order], walls[order])
