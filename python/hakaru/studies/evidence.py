"""What a row of a study is worth, by one rule for all studies, and the first lines of every summary.

A row that was counted or timed is ``measured``. A row is ``fitted`` when the numbers that were fitted imply it: a free parameter was fitted to
it; or it is computed from nothing but free parameters, given numbers and fitted rows (``Row.of``); or a part of it is fitted
(``Row.parts``). Every other row is a ``prediction`` where the publication has the number, and ``unpublished`` where it has not.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from hakaru.base import units
from hakaru.studies.row import Row

MEASURED, FITTED, PREDICTION, UNPUBLISHED = KINDS = ("measured", "fitted", "prediction", "unpublished")
TOLERANCES = (0.05, 0.10, 0.25)  # of a published number
MISS = TOLERANCES[0]  # beyond it a prediction is named


@dataclass(frozen=True)
class Parameter:
    """A number that is not published, and the published ones that it was found from: ids of rows, and ``beside`` in words."""

    name: str
    fitted_to: tuple[str, ...] = ()
    beside: str = ""


@dataclass(frozen=True)
class Basis:
    """What a study declares: its free parameters; ``given``: published numbers that go in as they are, by name, with the rows that they were
    made from; ``predictions``: ids of all rows that test it."""

    parameters: tuple[Parameter, ...] = ()
    given: dict[str, tuple[str, ...]] | None = None
    predictions: tuple[str, ...] = ()

    @property
    def names(self) -> set[str]:
        """What rows may be computed from beside other rows, without saying anything about the model."""
        return {one.name for one in self.parameters} | set(self.given or ())

    @property
    def used(self) -> set[str]:
        """Ids of rows whose published numbers went in."""
        fitted = {name for one in self.parameters for name in one.fitted_to}
        return fitted.union(*(self.given or {}).values())


def judged(rows: Iterable[Row], basis: Basis) -> list[Row]:
    """The rows with their kinds."""
    rows = list(rows)
    by_id = {row.id: row for row in rows}
    used, implied = basis.used, dict.fromkeys(basis.names, True)

    def fitted(name: str) -> bool:
        if name not in implied:
            implied[name] = False  # a row that is computed from itself says nothing of itself
            row = by_id.get(name)
            implied[name] = row is not None and row.kind != MEASURED and implies(row)
        return implied[name]

    def implies(row: Row) -> bool:
        whole = bool(row.of) and all(fitted(name) for name in row.of)
        return row.id in used or whole or any(fitted(name) for name in row.parts)

    def kind(row: Row) -> str:
        if row.kind == MEASURED:
            return MEASURED
        if fitted(row.id):
            return FITTED
        return UNPUBLISHED if row.published is None else PREDICTION

    return [replace(row, kind=kind(row)) for row in rows]


def distance(row: Row) -> float:
    """|ours - published| / |published|; infinite where we have no number, or something in place of nothing."""
    if row.ours is None or row.published is None:
        return math.inf
    if row.published == 0.0:
        return 0.0 if row.ours == 0.0 else math.inf
    return abs(row.ours / row.published - 1.0)


def headline(rows: Iterable[Row], basis: Basis) -> list[str]:
    """What every summary begins with: predictions by tolerance with each miss, what was fitted, and what nobody can test."""
    rows = list(rows)
    return [_predicted(rows), _fitted(rows, basis), _others(rows)]


def _predicted(rows: list[Row]) -> str:
    tested = sorted((row for row in rows if row.kind == PREDICTION), key=distance, reverse=True)
    if not tested:
        return "Predictions: no published number can test one."
    within = [sum(distance(row) <= limit for row in tested) for limit in TOLERANCES]
    told = ", ".join(
        f"{count} within {_whole(limit)}" for count, limit in zip(within, TOLERANCES, strict=True)
    )
    misses = [_named(row) for row in tested if distance(row) > MISS]
    named = f" Beyond {_whole(MISS)}: {', '.join(misses)}." if misses else ""
    return f"Predictions: of {units.count(len(tested), 'published number')} {told}.{named}"


def _whole(fraction: float) -> str:
    return f"{100.0 * fraction:.0f} %"


def _named(row: Row) -> str:
    if row.error is not None:
        return f"{row.id} {units.signed_percent(row.error)}"
    ours, published = (
        "nothing" if value is None else units.digits(value) for value in (row.ours, row.published)
    )
    return f"{row.id} ({ours}, published {published})"


def _fitted(rows: list[Row], basis: Basis) -> str:
    own = [row for row in rows if row.kind == FITTED]
    if not basis.parameters:
        told = "Free parameters: none."
    else:
        numbers = len({name for one in basis.parameters for name in one.fitted_to})
        names = ", ".join(one.name for one in basis.parameters)
        beside = "".join(f", and to {one.beside}" for one in basis.parameters if one.beside)
        told = f"Free parameters: {len(basis.parameters)} ({names}), fitted to {units.count(numbers, 'published number')}{beside}."
    if not own:
        return told
    stated = [row for row in own if row.published is not None]
    reached = (
        f", {sum(distance(row) <= MISS for row in stated)} of {len(stated)} reached within {_whole(MISS)}"
        if stated
        else ""
    )
    return f"{told} {units.count(len(own), 'row')} fitted or given{reached}: no test of the model."


def _others(rows: list[Row]) -> str:
    unpublished = sum(row.kind == UNPUBLISHED for row in rows)
    measured = sum(row.kind == MEASURED for row in rows)
    return f"Beside them: {units.count(unpublished, 'row')} without a published number, {units.count(measured, 'row')} measured."


def problems(rows: list[Row], summary: list[str], basis: Basis) -> list[str]:
    """How a result contradicts what its study declares; empty: it does not."""
    ids = [row.id for row in rows]
    known = set(ids)
    found = [f"two rows are called {name}" for name, times in sorted(Counter(ids).items()) if times > 1]
    rightly = judged(rows, basis)
    found += [
        f"{row.id} is called {row.kind or 'nothing'}, and is {right.kind}"
        for row, right in zip(rows, rightly, strict=True)
        if row.kind != right.kind
    ]
    tested = {row.id for row in rightly if row.kind == PREDICTION}
    found += [f"the prediction {name} is missing" for name in basis.predictions if name not in tested]
    found += [f"the prediction {name} is not declared" for name in sorted(tested - set(basis.predictions))]
    found += [f"the row {name}, whose number went in, is missing" for name in sorted(basis.used - known)]
    sources = {name for row in rows for name in (*row.of, *row.parts)}
    found += [
        f"{name} is no row, parameter or given number" for name in sorted(sources - known - basis.names)
    ]
    if summary[:3] != headline(rows, basis):
        found.append("the summary does not begin with what its rows say")
    return found
