"""What ``hakaru mix`` answers (schema/mix-result.schema.json). Times in s; intervals hold 95 % of the draws."""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

import numpy as np
from msgspec import UNSET, Meta, UnsetType

from hakaru.facts.forecasts import Span
from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Count, Name, Seconds, Words
from hakaru.foretell.mix.metrics import Measured

SCHEMA = "hakaru/mix-result/1"
CONFIDENCE = 0.95


class KindOfJobs(Strict):
    """``run_s``: mean time on its nodes; ``wait_s``: mean time in the queue."""

    name: Words
    count: AtLeastOne
    nodes: AtLeastOne
    limit_s: Seconds
    run_s: Span
    wait_s: Span


class Figures(Strict):
    """Of a mix; ``energy_j`` None where nobody says the power of a node."""

    makespan_s: Span
    jobs_per_hour: Span
    utilisation: Span
    mean_wait_s: Span
    wait_95_s: Span
    longest_wait_s: Span
    bounded_slowdown: Span
    ended_at_limit: Span
    node_hours: Span
    energy_j: Span | None


class Ratio(Strict):
    """What something is times what it was, draw by draw; ``low`` and ``high`` hold 95 % of the draws."""

    value: Seconds
    low: Seconds
    high: Seconds


class WhatIf(Strict):
    """``makespan``, ``mean_wait``, ``energy``: times those of the mix as it is; None where that is nothing."""

    name: Words
    nodes: AtLeastOne
    policy: str
    figures: Figures
    makespan: Ratio | None
    mean_wait: Ratio | None
    energy: Ratio | None


class Place(Strict):
    """``times``: what it takes over what the first takes, draw by draw; ``sure``: whether the whole interval lies above 1."""

    name: Words
    times: Ratio
    sure: bool


class Order(Strict):
    """The mix as it is and all what-ifs, what takes least first. ``places`` is empty where nobody can say what they take, for the reason in
    ``unavailable``."""

    by: Literal["time", "node-hours", "joules"]
    places: tuple[Place, ...]
    unavailable: str = ""


class MixResult(Strict):
    """``shown_draw``: the draw of the middle makespan, which charts show."""

    schema: Literal["hakaru/mix-result/1"]
    name: Name
    nodes: AtLeastOne
    cores: AtLeastOne
    policy: str
    shared: bool
    jobs: AtLeastOne
    draws: AtLeastOne
    seed: Count
    shown_draw: Count
    confidence: Annotated[float, Meta(gt=0.0, lt=1.0)]
    figures: Figures
    power_source: str | None
    kinds: tuple[KindOfJobs, ...]
    what_if: tuple[WhatIf, ...]
    notes: tuple[Words, ...]
    orders: tuple[Order, ...] | UnsetType = UNSET


def figures(played: Sequence[Measured]) -> Figures:
    """Medians over draws, and what holds 95 % of them."""
    names = [name for name in Figures.__struct_fields__ if name != "energy_j"]
    found = {name: over(played, lambda one, name=name: getattr(one, name)) for name in names}
    joules = None if played[0].energy_j is None else over(played, lambda one: one.energy_j or 0.0)
    return Figures(**found, energy_j=joules)


def over(played: Sequence[Measured], value: Callable[[Measured], float]) -> Span:
    low, middle, high = quantiles([value(one) for one in played])
    if high - low <= 1e-9 * abs(middle):  # rounding
        low = high = middle
    return Span(value=middle, low=low, high=high)


def quantiles(values: Sequence[float]) -> tuple[float, float, float]:
    tail = 0.5 * (1.0 - CONFIDENCE)
    low, middle, high = np.quantile(values, [tail, 0.5, 1.0 - tail])
    return float(low), float(middle), float(high)


def ratio(
    before: Sequence[Measured], after: Sequence[Measured], value: Callable[[Measured], float | None]
) -> Ratio | None:
    """Draw by draw, since both had the same luck; None where a draw had nothing before."""
    found = []
    for one, other in zip(before, after, strict=True):
        was, became = value(one), value(other)
        if not was or became is None:
            return None
        found.append(became / was)
    low, middle, high = quantiles(found)
    return Ratio(value=middle, low=low, high=high)
