"""The mix as it is and all what-ifs, in the order of what they take: time, node-hours, joules. Compared draw by draw, since all have the same luck."""

from collections.abc import Callable, Mapping, Sequence

from hakaru.foretell.mix.answer import Order, Place, Ratio, over, ratio
from hakaru.foretell.mix.metrics import Measured

AS_IT_IS = "as it is"
SAME = 1e-9  # of ratios: rounding
VALUES: dict[str, Callable[[Measured], float | None]] = {
    "time": lambda one: one.makespan_s,
    "node-hours": lambda one: one.node_hours,
    "joules": lambda one: one.energy_j,
}


def orders(played: Mapping[str, Sequence[Measured]], why_not: str) -> tuple[Order, ...]:
    """``played``: the draws of each by its name; ``why_not``: why there are no joules."""
    return tuple(_order(by, value, played, why_not) for by, value in VALUES.items())


def _order(
    by: str, value: Callable[[Measured], float | None], played: Mapping[str, Sequence[Measured]], why_not: str
) -> Order:
    if any(value(one) is None for draws in played.values() for one in draws):
        return Order(by=by, places=(), unavailable=why_not)
    middles = {name: over(draws, lambda one: value(one) or 0.0).value for name, draws in played.items()}
    ordered = sorted(middles, key=lambda name: middles[name])
    first = played[ordered[0]]
    places = []
    for name in ordered:
        times = ratio(first, played[name], value) or Ratio(value=1.0, low=1.0, high=1.0)
        places.append(Place(name=name, times=times, sure=times.low > 1.0 + SAME))
    return Order(by=by, places=tuple(places))
