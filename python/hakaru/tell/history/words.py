"""What is said of changes and of a whole history, in the terminal and on the page."""

from collections.abc import Sequence

from hakaru.base import units
from hakaru.base.changes import needed
from hakaru.facts.history.series import Changed, Series


def told(change: Changed) -> list[str]:
    """A change and what else changed then."""
    ratio = change.ratio
    word = "longer" if ratio.value > 1.0 else "shorter"
    head = (
        f"{change.moment[:10]}: {ratio.value:.3f} times as long from here on, {word} "
        f"({ratio.low:.3f} to {ratio.high:.3f} of {ratio.coverage:.0%}, p = {change.probability:.2g})"
    )
    if not change.differences:
        return [head, "  nothing that records know of changed then"]
    when = "" if change.near == change.moment else f"{change.near[:10]}: "
    return [head, *(f"  {when}{text}" for text in change.differences)]


def summary(found: Sequence[Series], alarm: float) -> str:
    changes = sum(len(one.changes) for one in found)
    short = sum(not one.long_enough for one in found)
    text = (
        f"{units.count(changes, 'change')} in {units.count(len(found), 'series', 'series')}; "
        f"a series without a change shows one with a probability of {units.percent(alarm)}"
    )
    return text + (
        f"; {short} have fewer than the {needed(alarm)} values that a change needs." if short else "."
    )
