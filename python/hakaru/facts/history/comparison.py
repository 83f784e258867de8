"""Two sides compared: for each problem that both ran, and each of its phases, the ratio of times with its interval and a verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import msgspec

from hakaru.base.errors import UserError
from hakaru.base.ratios import enough, ratio_interval
from hakaru.base.statistics import Interval
from hakaru.facts.history.environment import Difference, differences, mixed
from hakaru.facts.history.selection import Side
from hakaru.facts.records import Entry
from hakaru.facts.records.groups import plain
from hakaru.facts.records.record import layout_name
from hakaru.facts.work import Parameters

THRESHOLD = 0.05
SHORT = 0.01  # share of the time below which a phase is not judged
SLOWER, FASTER, UNCHANGED = "slower", "faster", "no change shown"
FEW, TOO_SHORT, ONE_SIDED = "too few launches to say", "too short to judge", "on one side only"

Key = tuple[str, str, int, int]


@dataclass(frozen=True)
class Row:
    """A phase, or the whole time where ``phase`` is None: medians over launches in s, and the ratio of the second side to the first."""

    phase: str | None
    before_s: float | None
    after_s: float | None
    before_launches: int
    after_launches: int
    ratio: Interval | None
    verdict: str


@dataclass(frozen=True)
class Pair:
    """One problem on one layout on both sides; the first row is the whole time."""

    program: str
    parameters: Parameters
    ranks: int
    threads: int
    rows: list[Row]
    changed: list[Difference]

    @property
    def name(self) -> str:
        return point_name(self.program, self.parameters, self.ranks, self.threads)


@dataclass(frozen=True)
class Comparison:
    """``only``: problems of one side, by the side's name; ``notes``: what a reader must know before the figures."""

    before: Side
    after: Side
    threshold: float
    pairs: list[Pair]
    only: dict[str, list[str]]
    notes: list[str] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        return [row for pair in self.pairs for row in pair.rows]

    @property
    def regressed(self) -> bool:
        return any(row.verdict == SLOWER for row in self.rows)


def point_name(program: str, parameters: Parameters, ranks: int, threads: int) -> str:
    words = "".join(f" {name}={plain(value)}" for name, value in parameters.items())
    return f"{program}{words}, {layout_name(ranks, threads)}"


def short_names(points: Sequence) -> list[str]:
    """Names of pairs or series that say only the parameters in which those of their program differ; all, where none differs."""
    seen: dict[tuple[str, str], set] = {}
    for one in points:
        for name, value in one.parameters.items():
            seen.setdefault((one.program, name), set()).add(plain(value))
    varying = {key for key, values in seen.items() if len(values) > 1}
    some = {program for program, _ in varying}

    def short(one) -> str:
        if one.program not in some:
            return one.name
        kept = {name: value for name, value in one.parameters.items() if (one.program, name) in varying}
        return replace(one, parameters=kept).name

    return [short(one) for one in points]


def key_of(entry: Entry) -> Key:
    parameters = msgspec.json.encode(entry.parameters, order="sorted").decode()
    return (entry.program, parameters, entry.ranks, entry.threads)


def grouped(entries: Sequence[Entry]) -> dict[Key, list[Entry]]:
    found: dict[Key, list[Entry]] = {}
    for entry in entries:
        found.setdefault(key_of(entry), []).append(entry)
    return found


def compare(before: Side, after: Side, threshold: float = THRESHOLD) -> Comparison:
    """Raises UserError where the sides share launches, or no problem."""
    _independent(before, after)
    first, second = grouped(before.entries), grouped(after.entries)
    both = sorted(first.keys() & second.keys())
    if not both:
        raise _nothing_common(before, after, first.keys(), second.keys())
    pairs = [_pair(first[key], second[key], threshold) for key in both]
    only = {
        one.name: [_name(entries[0]) for key, entries in sorted(mine.items()) if key not in other]
        for one, mine, other in ((before, first, second), (after, second, first))
    }
    kept = [[entry for key in both for entry in side[key]] for side in (first, second)]
    return Comparison(before, after, threshold, pairs, only, _notes(before, after, *kept))


def _name(entry: Entry) -> str:
    return point_name(entry.program, entry.parameters, entry.ranks, entry.threads)


def _independent(before: Side, after: Side) -> None:
    shared = {entry.id for entry in before.entries} & {entry.id for entry in after.entries}
    if shared:
        raise UserError(
            f"'{before.name}' and '{after.name}' share {len(shared)} launches",
            "a launch cannot stand on both sides",
            "choose sides that do not overlap",
        )


def _nothing_common(before: Side, after: Side, first, second) -> UserError:
    same = {key[0] for key in first} & {key[0] for key in second}
    example = [
        next(f"{key[0]} {key[1]} {key[2]}x{key[3]}" for key in side if key[0] in same or not same)
        if side
        else "no launch whose time counts"
        for side in (sorted(first), sorted(second))
    ]
    why = "they have other parameters or layouts" if same else "they ran other programs"
    left = [
        f"{sum(one.left_out.values())} left out of '{one.name}'" for one in (before, after) if one.left_out
    ]
    return UserError(
        f"'{before.name}' and '{after.name}' have no problem in common",
        "; ".join([f"{why}: {example[0]} against {example[1]}", *left]),
        "run the same parameters on the same layout on both sides",
    )


def _pair(before: list[Entry], after: list[Entry], threshold: float) -> Pair:
    one = before[0]
    whole = _row(None, _times(before, None), _times(after, None), threshold, judged=True)
    names = dict.fromkeys(name for entry in (*before, *after) for name in entry.phases)
    rows = [whole]
    for name in names:
        first, second = _times(before, name), _times(after, name)
        shares = [
            median(times) / total
            for times, total in ((first, whole.before_s), (second, whole.after_s))
            if times and total
        ]
        rows.append(_row(name, first, second, threshold, max(shares, default=0.0) >= SHORT))
    return Pair(one.program, one.parameters, one.ranks, one.threads, rows, differences(before, after))


def _times(entries: list[Entry], phase: str | None) -> list[float]:
    if phase is None:
        return [entry.wall_s for entry in entries]
    return [entry.phases[phase] for entry in entries if phase in entry.phases]


def _row(phase: str | None, before: list[float], after: list[float], threshold: float, judged: bool) -> Row:
    middle = [median(times) if times else None for times in (before, after)]
    ratio, verdict = None, ONE_SIDED
    if before and after:
        if min(*before, *after) > 0.0:
            ratio = ratio_interval(before, after)
        verdict = _verdict(ratio, threshold) if judged and ratio else TOO_SHORT
        if judged and not enough(len(before), len(after)):
            verdict = FEW
    return Row(phase, *middle, len(before), len(after), ratio, verdict)


def _verdict(ratio: Interval, threshold: float) -> str:
    """A change only where the whole interval lies beyond the threshold; 1/(1 + t) downwards, so that turned round it is the same."""
    if ratio.low > 1.0 + threshold:
        return SLOWER
    return FASTER if ratio.high < 1.0 / (1.0 + threshold) else UNCHANGED


def _notes(before: Side, after: Side, first: list[Entry], second: list[Entry]) -> list[str]:
    notes = []
    machines = [_machines(entries) for entries in (first, second)]
    if machines[0] != machines[1]:
        notes.append(
            f"these are two machines: {' | '.join(machines[0])} and {' | '.join(machines[1])}; "
            "the ratios are of machines, not of a change on one"
        )
    for one, entries in ((before, first), (after, second)):
        notes += [f"'{one.name}' mixes {text}; narrow it with a selector" for text in mixed(entries)]
        if one.left_out:
            reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(one.left_out.items()))
            notes.append(f"left out of '{one.name}': {reasons}")
        if one.damaged:
            notes.append(
                f"left out of '{one.name}': {len(one.damaged)} damaged files ({one.damaged[0][0].name} ...)"
            )
        notes += [f"'{one.name}': {text}" for text in one.notes]
    return notes


def _machines(entries: list[Entry]) -> list[str]:
    found = {
        f"{entry.environment.get('host', 'a host that is not known')} ({entry.environment.get('processor', '?')})"
        for entry in entries
    }
    return sorted(found)
