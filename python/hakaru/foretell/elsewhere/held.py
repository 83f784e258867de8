"""How wide forecasts for machines elsewhere have to be: what would have held for the published results of the study ``machines-today``.

A ratio is the published time over the forecast. Computing: the smallest and the largest ratio of all its programs that were carried, since
the results of one program share their error. Messages: 2.5 and 97.5 % of its collectives' ratios. ``test_held.py`` of the study holds these
numbers to its rows.
"""

from dataclasses import dataclass

from hakaru.facts.forecasts import Span


@dataclass(frozen=True)
class Held:
    """Ratios ``low`` and ``high``, and of how many published results."""

    low: float
    high: float
    results: int

    def holds(self, ratio: float) -> bool:
        return self.low <= ratio <= self.high


COMPUTING = Held(0.59, 1.55, 133)
MESSAGES = Held(0.37, 6.2, 171)


def widened(computing_s: float, messages_s: float) -> Span:
    """The time of both, each as wrong as its kind was, both on their good or on their bad side."""
    low, high = (
        computing_s * getattr(COMPUTING, end) + messages_s * getattr(MESSAGES, end) for end in ("low", "high")
    )
    return Span(value=computing_s + messages_s, low=low, high=high)


def why() -> str:
    """Where the width comes from, for people."""
    return (
        f"the interval would have held for the published results of the study machines-today: computing took "
        f"{COMPUTING.low:g} to {COMPUTING.high:g} times what was forecast ({COMPUTING.results} results), "
        f"collectives {MESSAGES.low:g} to {MESSAGES.high:g} times ({MESSAGES.results} results)"
    )
