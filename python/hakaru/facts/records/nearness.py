"""In which of two states the cores in use were, by how long a write of the first takes to be seen by the last (Repetition.handover_s).

A hypervisor moves virtual cores: within one last-level cache they hand over in 40 ns and share its way to memory, in two caches in 190 ns, and
what waits for memory takes 0.65 of the time (AMD EPYC, Zen 5, two cores). The state that launches met more often is the usual one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import log, sqrt
from statistics import median
from typing import Annotated, Self

from msgspec import Meta

from hakaru.base import units
from hakaru.facts.records.record import Record
from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive

APART = 1.7  # times as long from the one state to the other, at least
BETWEEN = 0.05  # share of the launches that saw the state change, at most: else these are no states
SEEN = 0.1  # share of the launches that met a state, at least: fewer were disturbed
LEAST = 3  # launches that met it, at least


class Nearness(Strict):
    """The usual state of one layout: handover below (``near``) or above ``edge_s``, met by this ``share`` of its launches."""

    near: bool
    edge_s: Positive
    share: Annotated[float, Meta(gt=0.0, le=1.0)]

    def holds(self, record: Record) -> bool:
        """True where all its repetitions were in this state; of launches that were not asked, too."""
        asked = [one.handover_s for one in record.repetitions if one.handover_s]
        return all(map(self.contains, asked))

    def contains(self, handover_s: float) -> bool:
        return (handover_s < self.edge_s) == self.near

    @property
    def words(self) -> str:
        how = "near" if self.near else "far from"
        side = "less" if self.near else "more"
        seen = f"see each other's writes in {side} than {units.seconds(self.edge_s)}"
        return f"usually: while cores are {how} each other ({seen}), as in {100.0 * self.share:.0f} % of the launches"


def alike(handover_s: float, other_s: float) -> bool:
    """True where both are of one state, as far as two can tell."""
    return max(handover_s, other_s) <= APART * min(handover_s, other_s)


Place = tuple[str | None, str | None, int, int]  # host, processor, ranks, threads


@dataclass(frozen=True)
class Usual:
    """Of every host and layout whose launches met two states."""

    states: Mapping[Place, Nearness] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[Record]) -> Self:
        """By runs of any programs."""
        handovers: dict[Place, list[float]] = defaultdict(list)
        for record in records:
            if record.is_sample and (handover_s := record.middle(lambda one: one.handover_s)):
                handovers[_place(record, record.ranks, record.threads)].append(handover_s)
        found = {place: usual_state(times_s) for place, times_s in handovers.items()}
        return cls({place: state for place, state in found.items() if state})

    def at(self, record: Record, ranks: int, threads: int) -> Nearness | None:
        """Of another layout on the host of a record."""
        return self.states.get(_place(record, ranks, threads))

    def holds(self, record: Record) -> bool:
        state = self.at(record, record.ranks, record.threads)
        return state is None or state.holds(record)


def _place(record: Record, ranks: int, threads: int) -> Place:
    return (record.place, record.environment.cpu_model, ranks, threads)


def usual_state(handovers_s: Sequence[float]) -> Nearness | None:
    """None where launches do not fall apart into two states. A few of others between them (the state changed meanwhile) hide neither."""
    ordered = sorted(handovers_s)
    below = _split([log(one) for one in ordered])
    groups = ordered[:below], ordered[below:]
    if min(map(len, groups)) < max(LEAST, SEEN * len(ordered)):
        return None
    low_s, high_s = map(median, groups)
    third = (high_s / low_s) ** (1 / 3)
    between = sum(low_s * third < one < low_s * third**2 for one in ordered)
    if high_s < APART * low_s or between > BETWEEN * len(ordered):
        return None
    near = 2 * below >= len(ordered)
    share = below / len(ordered)
    return Nearness(near=near, edge_s=sqrt(low_s * high_s), share=share if near else 1.0 - share)


def _split(ordered: Sequence[float]) -> int:
    """How many are below where the distances to the median of either side add up to least."""
    sums = [0.0, *accumulate(ordered)]

    def apart(start: int, end: int) -> float:
        half = (end - start) // 2
        return sums[end] - sums[end - half] - (sums[start + half] - sums[start])

    return min(range(len(ordered)), key=lambda below: apart(0, below) + apart(below, len(ordered)), default=0)
