"""How wide forecasts for machines elsewhere have to be: what would have held for the published results of the study ``machines-today``.

A ratio is the published time over the forecast. Computing: the smallest and the largest ratio of all its programs that were carried, since
the results of one program share their error. Messages: 2.5 and 97.5 % of its collectives' ratios. ``test_held.py`` of the study holds these
numbers to its rows.
"""

from dataclasses import dataclass

from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.documents.answer import Answer


@dataclass(frozen=True)
class Held:
    """Ratios ``low`` and ``high``, and of how many published results."""

    low: float
    high: float
    results: int

    def holds(self, ratio: float) -> bool:
        return self.low <= ratio <= self.high


COMPUTING = Held(0.59, 1.55, 133)
MESSAGES = Held(0.61, 5.8, 165)


def computing_s(answer: Answer) -> float:
    """What a replay would take if messages cost nothing."""
    return min(answer.efficiency.ideal_time_s or answer.time_s, answer.time_s)


def of_answer(answer: Answer, factor: Span | None = None, unsteady: float = 1.0) -> Span:
    """The time of a replay elsewhere; ``factor`` of its computing, where nobody counted the work."""
    ideal_s = computing_s(answer)
    return widened(ideal_s, answer.time_s - ideal_s, factor, unsteady)


def unsteady(machine: Machine, cores: int) -> float:
    """By how much so many cores were slower at times than they mostly were, where they were measured: a hypervisor lets two of them share one."""
    peak = machine.peak(cores)
    return peak.value / peak.fact.low if peak and peak.fact.low else 1.0


def widened(computing_s: float, messages_s: float, factor: Span | None = None, unsteady: float = 1.0) -> Span:
    """The time of both, each as wrong as its kind was, both on their good or on their bad side; computing also over all of ``factor``, and
    by ``unsteady`` longer."""
    least = min(COMPUTING.low, factor.low / factor.value) if factor else COMPUTING.low
    most = max(COMPUTING.high, factor.high / factor.value) if factor else COMPUTING.high
    low = computing_s * least + messages_s * MESSAGES.low
    high = computing_s * most * unsteady + messages_s * MESSAGES.high
    return Span(value=computing_s + messages_s, low=low, high=high)


def why() -> str:
    """Where the width comes from, for people."""
    return (
        f"the interval would have held for the published results of the study machines-today: computing took "
        f"{COMPUTING.low:g} to {COMPUTING.high:g} times what was forecast ({COMPUTING.results} results), "
        f"collectives {MESSAGES.low:g} to {MESSAGES.high:g} times ({MESSAGES.results} results)"
    )
