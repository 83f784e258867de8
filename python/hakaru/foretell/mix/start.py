"""What a launch takes beside its repetitions: starting the ranks, setting up, checking, ending; from launches that were timed as a whole.

It is a + b m, m being the memory of the problem, which is set up once: least squares without negative terms, or a alone where one size ran.
Intervals by Student's t for the line at m, and for one more launch (Draper & Smith, Applied Regression Analysis, section 1.4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from hakaru.facts.forecasts import Span
from hakaru.facts.records import Record
from hakaru.foretell.mix.draws import Times
from hakaru.foretell.models.relevance import sound

CONFIDENCE = 0.95
FEWEST = 3  # launches that say how much launches differ
NOTHING = Times.known(0.0)


@dataclass(frozen=True)
class Wanted:
    """A run whose start is wanted. ``memory_bytes`` None: the program does not say it."""

    ranks: int
    threads: int
    nodes: int
    memory_bytes: float | None


@dataclass(frozen=True)
class Start:
    """``note``: what a person should know of it, empty where nothing is."""

    times: Times
    note: str = ""


def start(records: Sequence[Record], wanted: Wanted) -> Start:
    """Of a launch as wanted, by the launches of the same program on the same layout, else on all layouts."""
    seen = [one for one in sound(records)[0] if beside_s(one) is not None]
    if not seen:
        return Start(
            NOTHING, "what it takes beside its repetitions is not known (no launch was timed as a whole)"
        )
    own = [one for one in seen if (one.ranks, one.threads, one.nodes) == _layout(wanted)]
    note = "" if own else "what it takes beside its repetitions is that of other layouts"
    return Start(_fitted(own or seen, wanted.memory_bytes), note)


def beside_s(record: Record) -> float | None:
    """None where nobody timed the whole launch. Warm-ups count as repetitions."""
    if record.whole_s is None:
        return None
    timed_s = sum(one.wall_s for one in record.repetitions)
    return max(record.whole_s - timed_s - record.warmup_discarded * (record.wall_s or 0.0), 0.0)


def _layout(wanted: Wanted) -> tuple[int, int, int]:
    return wanted.ranks, wanted.threads, wanted.nodes


def _fitted(records: Sequence[Record], memory_bytes: float | None) -> Times:
    took = np.array([beside_s(one) for one in records], dtype=float)
    if len(took) < FEWEST:
        middle = float(median(took))
        wide = Span(value=middle, low=0.0, high=2.0 * middle)
        return Times(wide, wide)
    memory = np.array([one.work.memory_bytes or 0.0 for one in records])
    line = memory_bytes is not None and memory.min() > 0.0 and memory.max() > memory.min()
    scale = memory.max() if line else 1.0
    rows = np.stack([np.ones_like(took), memory / scale], axis=1) if line else np.ones((len(took), 1))
    at = np.array([1.0, (memory_bytes or 0.0) / scale]) if line else np.ones(1)
    return _at(rows, took, at)


def _at(rows: np.ndarray, took: np.ndarray, at: np.ndarray) -> Times:
    """The line through ``took`` (n,) over ``rows`` (n, p), at one more row."""
    from scipy.optimize import nnls
    from scipy.special import stdtrit

    found, _ = nnls(rows, took)
    value = float(at @ found)
    own = rows[:, found > 0.0] if found.any() else rows[:, :1]
    here = at[found > 0.0] if found.any() else at[:1]
    free = len(took) - own.shape[1]
    if free < 1:
        return Times.known(value)
    left = took - rows @ found
    deviation = float(np.sqrt(left @ left / free))
    lever = float(here @ np.linalg.pinv(own.T @ own) @ here)
    reach = float(stdtrit(free, 0.5 + 0.5 * CONFIDENCE)) * deviation
    return Times(_span(value, reach * lever**0.5), _span(value, reach * (1.0 + lever) ** 0.5))


def _span(value: float, reach: float) -> Span:
    return Span(value=value, low=max(value - reach, 0.0), high=value + reach)
