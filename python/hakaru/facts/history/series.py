"""Time over dates: one value a day for each problem on each layout, and the days on which its level changed."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from hakaru.base.changes import FALSE_ALARM, change_points, needed
from hakaru.base.ratios import ratio_interval
from hakaru.base.statistics import Interval, median_interval
from hakaru.facts.history.comparison import grouped, point_name
from hakaru.facts.history.environment import Difference, differences
from hakaru.facts.history.selection import Side, in_future
from hakaru.facts.records import Entry
from hakaru.facts.work import Parameters

TICK = 1e-12  # s, in place of a time of nothing
NEAR = 2  # dates around a change in which the environment is looked at
DATE, LAUNCH = "date", "launch"


@dataclass(frozen=True)
class Point:
    """A day, or a single launch: the median over its launches in s with its interval."""

    moment: str
    time: Interval
    entries: list[Entry]


@dataclass(frozen=True)
class Changed:
    """A new level from ``moment`` on; ``ratio``: of the values up to the next change to those since the one before. ``near``: the moment
    at which the environment changed, which may be a few dates off."""

    moment: str
    index: int
    probability: float
    ratio: Interval
    near: str
    differences: list[Difference]


@dataclass(frozen=True)
class Series:
    """One problem on one layout; ``phase`` None: the whole time."""

    program: str
    parameters: Parameters
    ranks: int
    threads: int
    phase: str | None
    points: list[Point]
    changes: list[Changed]

    @property
    def name(self) -> str:
        of = f", {self.phase}" if self.phase else ""
        return point_name(self.program, self.parameters, self.ranks, self.threads) + of

    @property
    def long_enough(self) -> bool:
        return len(self.points) >= needed()

    @property
    def levels(self) -> list[tuple[int, int, float]]:
        """(first point, one behind the last, median in s) between the changes."""
        cuts = [0, *(change.index for change in self.changes), len(self.points)]
        return [
            (begin, end, median(point.time.value for point in self.points[begin:end]))
            for begin, end in zip(cuts, cuts[1:], strict=False)
            if begin < end
        ]


def series(
    side: Side, phase: str | None = None, by: str = DATE, false_alarm: float = FALSE_ALARM
) -> list[Series]:
    """Those with launches that count, dates in the future left out."""
    found = []
    for _, entries in sorted(grouped([one for one in side.entries if not in_future(one)]).items()):
        points = _points(entries, phase, by)
        if points:
            one = entries[0]
            changes = _changes(points, false_alarm)
            found.append(Series(one.program, one.parameters, one.ranks, one.threads, phase, points, changes))
    return found


def _points(entries: list[Entry], phase: str | None, by: str) -> list[Point]:
    days: dict[str, list[Entry]] = {}
    for entry in entries:
        if phase is None or phase in entry.phases:
            days.setdefault(entry.date if by == DATE else f"{entry.started} {entry.id}", []).append(entry)
    return [
        Point(
            moment.split(" ")[0], median_interval([_value(one, phase) for one in days[moment]]), days[moment]
        )
        for moment in sorted(days)
    ]


def _value(entry: Entry, phase: str | None) -> float:
    return entry.wall_s if phase is None else entry.phases[phase]


def _changes(points: Sequence[Point], false_alarm: float) -> list[Changed]:
    values = [point.time.value for point in points]
    found = change_points(values, false_alarm)
    cuts = [0, *(change.index for change in found), len(values)]
    result = []
    for change in found:
        at = bisect.bisect_left(cuts, change.index)
        before, after = values[cuts[at - 1] : change.index], values[change.index : cuts[at + 1]]
        near, reasons = _reasons(points, change.index)
        result.append(
            Changed(
                points[change.index].moment,
                change.index,
                change.probability,
                _ratio(before, after),
                near,
                reasons,
            )
        )
    return result


def _ratio(before: list[float], after: list[float]) -> Interval:
    return ratio_interval(*([max(value, TICK) for value in part] for part in (before, after)))


def _reasons(points: Sequence[Point], index: int) -> tuple[str, list[Difference]]:
    """What was another from one date to the next: at the change, else at the nearest date around it."""
    for away in sorted(range(-NEAR, NEAR + 1), key=abs):
        at = index + away
        if 0 < at < len(points):
            found = differences(points[at - 1].entries, points[at].entries)
            if found:
                return points[at].moment, found
    return points[index].moment, []
