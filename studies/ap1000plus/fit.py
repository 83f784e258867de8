"""The computing rate at which two replayed machines are as far apart as was published.

With C the computing time and X what does not depend on the processor, and a processor f times as fast, the ratio of times is
r = (C + X) / (C / f + X), so that C / X = (r - 1) / (1 - r / f): replays start from that, and a bisection ends it, since the ratio of
replays may jump.
"""

import math
from collections.abc import Callable

from hakaru.base.errors import UserError

CLOSE = 1e-4  # relative
MOST_STEPS = 40


def rate_of_ratio(ratio_at: Callable[[float], float], wanted: float, speed_up: float, start: float) -> float:
    """The rate at which ``ratio_at(rate)``, which falls as the rate grows, is ``wanted``; ``speed_up`` is the ratio without any
    communication. Raises UserError when no rate gives it."""
    if not 1.0 < wanted < speed_up:
        raise UserError(
            f"a published ratio of {wanted:g} cannot be fitted",
            f"ratios are between 1 and {speed_up:g}",
            "mend published.toml",
        )

    def share(ratio: float) -> float:
        bounded = min(max(ratio, 1.0 + 1e-9), speed_up * (1.0 - 1e-9))
        return (bounded - 1.0) / (1.0 - bounded / speed_up)

    low, high, best = -math.inf, math.inf, (math.inf, start)
    at = math.log(start)
    for _ in range(MOST_STEPS):
        ratio = ratio_at(math.exp(at))
        best = min(best, (abs(ratio / wanted - 1.0), math.exp(at)))
        if best[0] < CLOSE or high - low < 1e-6:
            break
        if ratio > wanted:
            low = at
        else:
            high = at
        guess = at + math.log(share(ratio) / share(wanted))
        at = guess if low < guess < high else _between(low, high, at)
    return best[1]


def _between(low: float, high: float, at: float) -> float:
    if math.isinf(low) or math.isinf(high):
        return at + (1.0 if math.isinf(high) else -1.0)
    return (low + high) / 2.0
