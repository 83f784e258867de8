"""What launches usually take: the median of the means of all pairs of launches, each with itself among them.

This pseudo-median (Hodges & Lehmann, Ann. Math. Stat. 34, 1963) does not jump where launches have two speeds, as those of several cores of a
shared host have, and needs hardly more launches than a mean. A launch counts as no further than MOST_APART from the median: two speeds were
seen up to so far apart, and what took longer was disturbed.
"""

import numpy as np
from numpy.typing import ArrayLike

MOST_APART = 1.4
MOST = 400  # launches of which all pairs are taken


def usually(times_s: ArrayLike) -> np.ndarray:
    """Of launches along the last axis: (..., L) -> (...). Raises ValueError where there is none."""
    times = np.asarray(times_s, dtype=float)
    if times.shape[-1] == 0:
        raise ValueError("no launch, no usual time")
    if times.shape[-1] > MOST:
        times = np.moveaxis(np.quantile(times, (np.arange(MOST) + 0.5) / MOST, axis=-1), 0, -1)
    middle = np.median(times, axis=-1, keepdims=True)
    kept = np.clip(times, middle / MOST_APART, middle * MOST_APART)
    first, second = np.triu_indices(kept.shape[-1])
    return np.median(kept[..., first] + kept[..., second], axis=-1) / 2.0
