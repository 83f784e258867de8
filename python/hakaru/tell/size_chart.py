"""Time over size in a terminal: measured points, what runs of each size usually take, and what any one of them may take."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hakaru.base import units
from hakaru.facts.forecasts import Forecast, Span

WIDTH, HEIGHT = 58, 10
MEASURED, WANTED, USUAL, ANY_ONE = "o", "*", "#", ":"
MARGIN = 0.03  # of the range, in logarithms
LEAST = 1e-3  # of a time: an interval that reaches down to nothing ends there


@dataclass(frozen=True)
class _Axis:
    """Places of values between ``low`` and ``high`` on a logarithmic axis of so many cells."""

    low: float
    high: float
    cells: int

    @classmethod
    def over(cls, values: Iterable[float], cells: int) -> "_Axis":
        logs = [math.log(value) for value in values]
        room = MARGIN * max(max(logs) - min(logs), 0.1)
        return cls(min(logs) - room, max(logs) + room, cells)

    def place(self, value: float) -> int:
        share = (math.log(value) - self.low) / (self.high - self.low)
        return min(max(int(share * self.cells), 0), self.cells - 1)

    def value(self, place: int) -> float:
        return math.exp(self.low + (place + 0.5) / self.cells * (self.high - self.low))


def size_chart(made: Forecast) -> list[str]:
    """Lines of at most 80 characters; none for a refused forecast, or one without other measured sizes of its layout."""
    points = [(one.size, one.value) for one in made.own_points if one.value > 0.0]
    others = any(size != made.size for size, _ in points)
    if made.time_s is None or not others or made.time_s.value <= 0.0:
        return []
    smaller = made.curve or ()
    bands = [(ANY_ONE, [*((one.size, one.time_s) for one in smaller), (made.size, made.time_s)])]
    if made.usual_s:
        bands.append((USUAL, [*((one.size, one.usual_s) for one in smaller), (made.size, made.usual_s)]))
    across = _Axis.over([made.size, *(size for size, _ in points)], WIDTH)
    ends = [end for _, spans in bands for _, span in spans for end in _ends(span)]
    up = _Axis.over([*ends, *(time_s for _, time_s in points)], HEIGHT)
    cells = [[" "] * WIDTH for _ in range(HEIGHT)]
    for mark, spans in bands:
        _fill(cells, mark, spans, across, up)
    for size, time_s in points:
        cells[up.place(time_s)][across.place(size)] = MEASURED
    cells[up.place(made.time_s.value)][across.place(made.size)] = WANTED
    return [*_rows(cells, up), *_feet(made.size, points, across), _legend(bool(made.usual_s))]


def _ends(span: Span) -> tuple[float, float]:
    return max(span.low, LEAST * span.value), span.high


def _fill(
    cells: list[list[str]], mark: str, spans: Sequence[tuple[float, Span]], across: _Axis, up: _Axis
) -> None:
    """The band between the ends of the spans, straight between sizes."""
    columns = [across.place(size) for size, _ in spans]
    lows, highs = zip(*(map(math.log, _ends(span)) for _, span in spans), strict=True)
    for column in range(columns[0], columns[-1] + 1):
        low, high = (up.place(math.exp(np.interp(column, columns, ends))) for ends in (lows, highs))
        for row in range(low, high + 1):
            cells[row][column] = mark


def _rows(cells: list[list[str]], up: _Axis) -> list[str]:
    named = {0, HEIGHT // 2, HEIGHT - 1}
    return [
        f"{units.seconds(up.value(row)) if row in named else '':>9} |{''.join(cells[row])}".rstrip()
        for row in reversed(range(HEIGHT))
    ]


def _feet(wanted: float, points: list[tuple[float, float]], across: _Axis) -> list[str]:
    """The axis with the sizes under it, as many as fit; the wanted one always."""
    labels = [" "] * (WIDTH + 6)
    for size in [wanted, *(size for size, _ in sorted(points))]:
        text = f"{size:.4g}"
        first = max(across.place(size) - len(text) // 2, 0)
        if all(cell == " " for cell in labels[max(first - 1, 0) : first + len(text) + 1]):
            labels[first : first + len(text)] = text
    return [f"{'':9} +{'-' * WIDTH}", f"{'size':>9}  {''.join(labels)}".rstrip()]


def _legend(usual: bool) -> str:
    bands = f"{USUAL} usually  " if usual else ""
    return f"{'':11}{MEASURED} measured  {WANTED} foretold  {bands}{ANY_ONE} any one run"
