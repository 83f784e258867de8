"""What people may choose, made up: every time follows from a formula."""

import itertools
from pathlib import Path

from hakaru.foretell.forecast.variants import Variant
from hakaru.foretell.replay.levers import FACTORS, Lever, WhatIf
from hakaru.tell.explain import fixtures
from hakaru.tell.report.precomputed import Precomputed

NAMES = ("message start", "bandwidth", "computing speed")


def time_s(at: tuple[int, ...]) -> float:
    start, band, speed = (FACTORS[place] for place in at)
    return 0.01 * start + 0.03 / band + 0.36 / speed


def what_if(label: str = "turbulence n=120") -> WhatIf:
    """All but one combination were replayed."""
    levers = tuple(Lever(name, f"what {name} is", lambda machine, factor: machine) for name in NAMES)
    places = list(itertools.product(range(len(FACTORS)), repeat=3))
    times_s = {at: time_s(at) for at in places if at != (0, 0, 0)}
    return WhatIf("turbulence", label, 2, 1, 0.417, levers, ("a note",), times_s, len(places))


def variants(program: str = "turbulence") -> list[Variant]:
    """Two sizes on two layouts; the last was not foretold."""
    found = []
    for number, (ranks, size) in enumerate(itertools.product((2, 1), (96, 128))):
        one = Variant(Path("results"), program, (("n", size), ("steps", 1)), "n", ranks, 1)
        made = fixtures.forecast(80 + number, size, 0.4 * (size / 96) ** 3 * (2 / ranks))
        last = (ranks, size) == (1, 128)
        found.append(one.answered(None if last else made, "it took too long" if last else ""))
    return found


def precomputed() -> Precomputed:
    return Precomputed(tuple(variants()), (what_if(),), ("heat: it has no schedule",))
