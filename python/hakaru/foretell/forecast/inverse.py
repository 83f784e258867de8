"""The question turned round: the largest size, or the fewest ranks, with which a run ends within a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hakaru.base.errors import UserError
from hakaru.facts.description import Description
from hakaru.facts.forecasts import Forecast
from hakaru.facts.work import Scalar

Foretell = Callable[[Mapping[str, Scalar], int], Forecast]
MOST_STEPS = 64


@dataclass(frozen=True)
class Found:
    """The run that fits, and the next one that does not; ``what`` names what was varied. ``beyond``: why it ends there, where that is
    not the time."""

    what: str
    fits: Forecast
    too_long: Forecast | None
    beyond: str | None = None


def largest(
    described: Description,
    name: str,
    given: Mapping[str, Scalar],
    ranks: int,
    within_s: float,
    foretell: Foretell,
) -> Found:
    """The largest whole value of the parameter ``name`` whose upper end is within the time. Raises UserError where none is, or where
    nothing can be foretold."""
    parameter = next(one for one in described.parameters if one.name == name)
    if parameter.type not in ("integer", "real"):
        raise UserError(f"{name} is no number", "only a number can be made larger", "give the sizes yourself")

    def ends(value: int) -> tuple[bool, Forecast]:
        made = foretell({**given, name: value}, ranks)
        return not made.refused and made.time_s.high <= within_s, made

    low = max(int(parameter.minimum or 1), 1)
    least, made = ends(low)
    if not least:
        raise _none(made, f"{name}={low}", within_s)
    fitting, failing, last = made, None, low
    high = low
    for _ in range(MOST_STEPS):
        high = min(2 * last, int(parameter.maximum or 2**62))
        if high == last:
            return Found(name, fitting, None, f"{name} is at most {high}")
        good, made = ends(high)
        if not good:
            failing = made
            break
        fitting, last = made, high
    while high - last > 1:
        middle = (last + high) // 2
        good, made = ends(middle)
        if good:
            fitting, last = made, middle
        else:
            failing, high = made, middle
    refused = failing.extrapolation.reason if failing and failing.refused else None
    return Found(name, fitting, failing, refused)


def fewest(
    candidates: Sequence[int], given: Mapping[str, Scalar], within_s: float, foretell: Foretell
) -> Found:
    """The fewest of these ranks with which the run ends within the time. Raises UserError where none does."""
    failing = None
    for ranks in candidates:
        try:
            made = foretell(given, ranks)
        except UserError:
            continue
        if not made.refused and made.time_s.high <= within_s:
            return Found("ranks", made, failing)
        failing = made
    if failing is None:
        raise UserError(
            "no number of ranks fits", "the program refuses all of them", "give other --ranks or --nodes"
        )
    raise _none(failing, f"{failing.layout.ranks} ranks", within_s)


def _none(made: Forecast, what: str, within_s: float) -> UserError:
    if made.refused:
        return UserError("nothing can be foretold", made.extrapolation.reason, "measure more sizes first")
    return UserError(
        f"no run ends within {within_s:g} s",
        f"with {what} it takes up to {made.time_s.high:.3g} s",
        "allow more time, fewer points or more ranks",
    )
