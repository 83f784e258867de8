"""The parts of the report in which people choose, as plain rows: everything stands in tables, of which the script reads its answers."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hakaru.base import units
from hakaru.facts.forecasts import Span
from hakaru.facts.records.groups import plain
from hakaru.facts.records.record import layout_name
from hakaru.foretell.forecast.variants import Variant
from hakaru.foretell.replay.levers import AS_IT_IS, FACTORS, Lever, WhatIf, factor, told
from hakaru.tell.report.precomputed import Precomputed
from hakaru.tell.traces.timeline.section import policy_of

HERE = Path(__file__).parent
LEAST = 1e-3  # of the foretold time: where an interval that reaches down to nothing ends


@dataclass(frozen=True)
class Bar:
    """Left end and width in percent of the picture."""

    left: float
    width: float


@dataclass(frozen=True)
class Choice:
    """One row: a size and a layout, what it takes, and the picture of it; ``bars``: any one run, usually, the time itself."""

    size: str
    layout: str
    usual: str
    any_one: str
    reach: str
    told: str
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True)
class Chooser:
    """Of one program; ``first``: places of the size and layout that are shown first."""

    program: str
    name: str
    first: tuple[int, int]
    sizes: tuple[str, ...]
    layouts: tuple[str, ...]
    rows: tuple[Choice, ...]


@dataclass(frozen=True)
class Cell:
    """``at``: places of the factors, as the sliders say them."""

    at: str
    text: str
    told: str


@dataclass(frozen=True)
class Replayed:
    """Replays of one program: a table whose rows are all combinations but of the last lever, which are the columns."""

    of: WhatIf
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Cell, ...]], ...]
    middle: int = AS_IT_IS
    last: int = len(FACTORS) - 1

    @property
    def levers(self) -> tuple[Lever, ...]:
        return self.of.levers

    @property
    def as_it_is(self) -> str:
        return told(self.of, self.of.as_it_is)

    @property
    def done(self) -> str:
        return f"{len(self.of.times_s)} of {self.of.combinations} combinations were replayed"


@dataclass(frozen=True)
class Choosing:
    """What the template shows; script and style are written by hakaru."""

    choosers: tuple[Chooser, ...]
    replayed: tuple[Replayed, ...]
    missing: tuple[str, ...]
    script: str
    policy: str
    style: str
    factors: str = " ".join(f"{factor:g}" for factor in FACTORS)


def choosing(made: Precomputed) -> Choosing:
    from markupsafe import Markup

    text = (HERE / "choosing.js").read_text(encoding="utf-8")
    return Choosing(
        tuple(_choosers(made.variants)),
        tuple(map(_replayed, made.what_ifs)),
        made.missing,
        Markup(text),
        Markup(policy_of(text)),
        Markup((HERE / "choosing.css").read_text(encoding="utf-8")),
    )


def _choosers(made: Iterable[Variant]) -> Iterable[Chooser]:
    by_program: dict[str, list[Variant]] = {}
    for one in made:
        by_program.setdefault(one.program, []).append(one)
    for program, ours in by_program.items():
        asked = ours[0]
        ours = sorted(ours, key=lambda one: (one.ranks, one.threads, one.value))
        frame = _frame([one.made.time_s for one in ours if one.made])
        sizes = tuple(plain(value) for value in sorted({one.value for one in ours}))
        layouts = tuple(dict.fromkeys(layout_name(one.ranks, one.threads) for one in ours))
        yield Chooser(
            program,
            asked.varied,
            (sizes.index(plain(asked.value)), layouts.index(layout_name(asked.ranks, asked.threads))),
            sizes,
            layouts,
            tuple(_choice(one, frame) for one in ours),
        )


def _choice(one: Variant, frame: tuple[float, float]) -> Choice:
    size, layout = plain(one.value), layout_name(one.ranks, one.threads)
    what = f"{one.program} {one.varied}={size} on {layout}"
    if one.made is None:
        return Choice(size, layout, "", "", one.reason, f"{what}: no forecast ({one.reason}).")
    made = one.made
    usual = made.usual_s or None
    spans = [made.time_s, usual or made.time_s]
    bars = [_bar(max(span.low, LEAST * made.time_s.value), span.high, frame) for span in spans]
    return Choice(
        size,
        layout,
        units.seconds_interval(usual) if usual else units.seconds(made.time_s.value),
        units.seconds_range(made.time_s.low, made.time_s.high),
        f"{made.extrapolation.flag}: {made.extrapolation.reason}",
        f"{what}: {made.sentence}. Reach: {made.extrapolation.reason}.",
        (*bars, _bar(made.time_s.value, made.time_s.value, frame)),
    )


def _frame(spans: list[Span]) -> tuple[float, float]:
    """Logarithms of the shortest and the longest time that is drawn."""
    if not spans:
        return 0.0, 1.0
    low = min(math.log(max(span.low, LEAST * span.value)) for span in spans)
    return low, max(max(math.log(span.high) for span in spans), low + 1e-3)


def _bar(low_s: float, high_s: float, frame: tuple[float, float]) -> Bar:
    first, last = frame
    left, right = (100.0 * (math.log(value) - first) / (last - first) for value in (low_s, high_s))
    return Bar(round(left, 2), round(right - left, 2))


def _replayed(one: WhatIf) -> Replayed:
    places = range(len(FACTORS))
    rows = []
    for head in itertools.product(places, repeat=len(one.levers) - 1):
        cells = tuple(_cell(one, (*head, last)) for last in places)
        rows.append((tuple(factor(place) for place in head), cells))
    heads = [lever.name for lever in one.levers[:-1]]
    columns = [f"{one.levers[-1].name} {factor(0)}", *map(factor, places[1:])]
    return Replayed(one, (*heads, *columns), tuple(rows))


def _cell(one: WhatIf, at: tuple[int, ...]) -> Cell:
    took_s = one.times_s.get(at)
    text = "not replayed" if took_s is None else units.seconds(took_s)
    return Cell(",".join(map(str, at)), text, told(one, at))
