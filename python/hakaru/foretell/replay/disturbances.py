"""What messages do to each other and computing to messages, where processors work for the network: ``crossing`` and ``progress`` of a level.

From the probe ``messages``, by size, with t the ping-pong (half of a round trip), x the exchange in both directions at once, w what an
exchange takes beside work that lasts as long as it, o both overheads:

    crossing = x - t                     a message that crosses one of its receiver's own comes so much later
    progress = 1 - (w - o) / (x - o)     1: the work hides all but the overheads; 0: messages stood still meanwhile

A difference that lies within the facts' intervals is none.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from hakaru.facts.machines.fact import Fact

Pieces = list[dict[str, Any]]


def crossing(alone: Sequence[Fact], both: Sequence[Fact]) -> Pieces:
    """Size classes of the crossing (``value_s``); empty when it is zero at every size."""
    one_way = {fact.keys["bytes"]: fact for fact in alone}

    def more(fact: Fact) -> float:
        single = one_way[fact.keys["bytes"]]
        differ = fact.lowest > single.highest
        return max(fact.value - single.value, 0.0) if differ else 0.0

    found = [(fact.keys["bytes"], more(fact)) for fact in both if fact.keys["bytes"] in one_way]
    return _pieces(found, "value_s", 0.0)


def progress(both: Sequence[Fact], beside: Sequence[Fact], overheads_s: Callable[[int], float]) -> Pieces:
    """Size classes of the progress (``value``, 0 to 1); empty when it is one at every size."""
    quick = {fact.keys["bytes"]: fact.value for fact in both}

    def share(fact: Fact) -> float:
        own_s = overheads_s(fact.keys["bytes"])
        hidable_s = quick[fact.keys["bytes"]] - own_s
        if hidable_s <= 0.0 or fact.lowest <= own_s:
            return 1.0
        return min(max(1.0 - (fact.value - own_s) / hidable_s, 0.0), 1.0)

    found = [(fact.keys["bytes"], share(fact)) for fact in beside if fact.keys["bytes"] in quick]
    return _pieces(found, "value", 1.0)


def _pieces(found: list[tuple[int, float]], key: str, nothing: float) -> Pieces:
    """Each value holds to the geometric mean of its size and the next; equal neighbours are one class."""
    found = sorted(found)
    if all(value == nothing for _, value in found):
        return []
    pieces: Pieces = []
    minimum = 0
    for index, (size, value) in enumerate(found):
        last = index + 1 == len(found)
        maximum = None if last else math.isqrt(size * found[index + 1][0])
        if pieces and pieces[-1][key] == value:
            pieces[-1]["maximum_bytes"] = maximum
        else:
            pieces.append({"minimum_bytes": minimum, "maximum_bytes": maximum, key: value})
        minimum = (maximum or 0) + 1
    return pieces
