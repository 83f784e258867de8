"""Which records say something about the wanted run, and what was left out and why."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from hakaru.base.errors import UserError
from hakaru.facts.records import Record
from hakaru.facts.records.nearness import Usual
from hakaru.facts.records.shares import shared
from hakaru.facts.work import Parameters, PhaseWork, Work
from hakaru.foretell.models.observations import Observation, Point, launch_phases, phase_kinds, point_of
from hakaru.foretell.models.waiting import share_that_adds

Describe = Callable[[Parameters], Work]
_PROPORTIONAL = 0.01
LEAST_MET = 2  # launches in the usual state of the machine
_REFUSED, _SIZE = "refused", "another size"
_OF_WORK = ("flops", "bytes", "message_bytes")  # a run has a few messages and calls of its own at its end


@dataclass(frozen=True)
class Factor:
    """How many times the work of a run is wanted, in each phase; ``whole`` of all together, and of what no phase counts."""

    whole: float = 1.0
    phases: Mapping[str, float] = field(default_factory=dict)

    def of(self, phase: str) -> float:
        return self.phases.get(phase, self.whole)

    def __mul__(self, other: "Factor") -> "Factor":
        names = {*self.phases, *other.phases}
        return Factor(self.whole * other.whole, {name: self.of(name) * other.of(name) for name in names})

    def scaled(self, times_s: Mapping[str, float]) -> dict[str, float]:
        return {name: value * self.of(name) for name, value in times_s.items()}


@dataclass(frozen=True)
class Relevant:
    """Observations for the wanted run, kinds of their phases, the records used, and ``left_out`` in words."""

    observations: tuple[Observation, ...]
    kinds: Mapping[str, str]
    records: tuple[Record, ...]
    left_out: tuple[str, ...]


def sound(records: Sequence[Record]) -> tuple[list[Record], Counter]:
    """Runs that may carry a model, and how many were left out for each reason.

    A run must have passed its checks (or make none, while a ``verify`` of the same program in the same
    setting among ``records`` passed, or while it is anybody's program, whose file names no check), must
    not share cores, and must come from the same setting as the newest such run.
    """
    verified = {
        (record.program, record.setting)
        for record in records
        if record.command == "verify" and record.verdict == "passed"
    }
    kept, reasons = [], Counter()
    for record in shared(records):
        if record.command != "run":
            continue
        if not record.ok or not record.repetitions:
            reasons["failed"] += 1
        elif record.verdict == "failed" or (
            record.verdict != "passed"
            and record.kind != "command"
            and (record.program, record.setting) not in verified
        ):
            reasons["not verified"] += 1
        elif record.layout.oversubscribed:
            reasons["more threads than cores"] += 1
        else:
            kept.append(record)
    if kept:
        newest = max(kept, key=lambda record: (record.started, record.id)).setting
        same = [record for record in kept if record.setting == newest]
        reasons["another machine, compiler, MPI library or command"] += len(kept) - len(same)
        kept = same
    return kept, +reasons


def relevant(
    records: Sequence[Record],
    wanted: Work,
    describe: Describe | None = None,
    usual: Usual | None = None,
) -> Relevant:
    """Records of any size that run the same problem as ``wanted``, as observations.

    A parameter may differ where it sets the size, or where all work grows in a straight line with it (such as a number
    of steps: times of each phase are then multiplied by the ratio of its work). ``describe(parameters) -> Work``
    tells which; without it, parameters may only differ where the size does. Everything else must be equal. ``usual``: the states of the
    machine, which keeps launches apart that met another one where two are left.
    """
    usual = usual or Usual()
    usable, reasons = sound(records)
    factors = _Factors(wanted, describe)
    groups: dict[tuple, list[tuple[Record, Factor]]] = {}
    for record in usable:
        factor = factors.of(record)
        if factor is None:
            reasons["other parameters"] += 1
            continue
        work = record.work
        groups.setdefault((work.size, work.ranks, work.threads), []).append((record, factor))
    adding = _waits_add(groups)
    observations = []
    for key in sorted(groups):
        held, away = [], []
        for member in groups[key]:
            (held if usual.holds(member[0]) else away).append(member)
        members, others = [*held, *away], adding[key[1:]]
        met = len(held) if len(held) >= LEAST_MET else len(members)
        point = point_of(members[-1][0].work)
        alone = [launch_phases(record, left_alone=True, others=others) for record, _ in members]
        launches = tuple(factor.scaled(own) for own, (_, factor) in zip(alone, members, strict=True))
        walls_s = tuple(
            sum(launch.values()) * _disturbed(record, own)
            for launch, own, (record, _) in zip(launches, alone, members, strict=True)
        )
        names = tuple(record.id for record, _ in members)
        longer = min(factor.whole for _, factor in members)
        began = [record.began for record, _ in members]
        span_s = (max(began) - min(began)).total_seconds()
        observations.append(
            Observation(
                _scaled(point, members[-1][1]),
                launches[:met],
                names,
                walls_s,
                longer,
                span_s,
                launches[met:],
            )
        )
    used = tuple(record for members in groups.values() for record, _ in members)
    left_out = tuple(
        f"{count} record{'s' * (count != 1)}: {reason}" for reason, count in reasons.most_common()
    )
    return Relevant(tuple(observations), phase_kinds(used), used, left_out)


def _disturbed(record: Record, alone: Mapping[str, float]) -> float:
    """How many times as long it took as it would have ``alone``."""
    alone_s = sum(alone.values())
    return sum(launch_phases(record).values()) / alone_s if alone_s > 0.0 else 1.0


def _waits_add(groups: Mapping[tuple, list[tuple[Record, Factor]]]) -> dict[tuple[int, int], float]:
    """models.waiting's share by layout."""
    layouts: dict[tuple[int, int], list[Record]] = defaultdict(list)
    for (_, ranks, threads), members in groups.items():
        layouts[ranks, threads] += [record for record, _ in members]
    return {layout: share_that_adds(records) for layout, records in layouts.items()}


def _scaled(point: Point, factor: Factor) -> Point:
    work = {
        phase: {name: value * factor.of(phase) for name, value in row.items()}
        for phase, row in point.work.items()
    }
    return replace(point, work=work)


def times_the_work(wanted: Work, theirs: Parameters, describe: Describe) -> float | None:
    """How many times the work of a run of the same size is wanted; None where another size or another problem is."""
    factor = _Factors(wanted, describe).of_parameters(theirs, wanted.size)
    return factor and factor.whole


class _Factors:
    """Ratio of the wanted run's work to a record's by parameters that do not set the size; None when they
    cannot be compared."""

    def __init__(self, wanted: Work, describe: Describe | None):
        self.wanted, self.describe = wanted, describe
        self._known: dict[str, Factor | None] = {}

    def of(self, record: Record) -> Factor | None:
        return self.of_parameters(record.work.parameters or record.parameters, record.work.size)

    def of_parameters(self, theirs: Parameters, size: float | None) -> Factor | None:
        ours = self.wanted.parameters
        different = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
        if self.describe is None:
            return Factor() if not different or size != self.wanted.size else None
        key = json.dumps(theirs, sort_keys=True)
        if key not in self._known:
            factors = [self._single(name, theirs) for name in different]
            self._known[key] = prod(factors, start=Factor()) if None not in factors else None
        return self._known[key]

    def _single(self, name: str, theirs: Parameters) -> Factor | None:
        """1 when the parameter sets the size, the ratio of the work when all of it grows in a straight line with it, else None.

        The parameter is changed alone, in the wanted run and in the record's. Refused in both, or a number
        refused in one that says nothing in the other, it only makes sense together with other parameters,
        such as the edges of a grid of custom size.
        """
        ours = self.wanted.parameters
        if name not in ours or name not in theirs:
            return None
        here = self._ratio(self.wanted, self._describe({**ours, name: theirs[name]}))
        there = self._ratio(self._describe({**theirs, name: ours[name]}), self._describe(theirs))
        refused = [here, there].count(_REFUSED)
        if _SIZE in (here, there) or refused == 2:
            return Factor()
        if isinstance(ours[name], str | bool):
            return None
        ratio = there if here == _REFUSED else here
        if ratio is None or abs(ratio - 1.0) > _PROPORTIONAL:
            return self._along(name, theirs) or (Factor(ratio) if ratio else None)
        return Factor() if refused else None

    def _along(self, name: str, theirs: Parameters) -> Factor | None:
        """Where the counts of every phase lie on a straight line over the parameter: steps, and something done once."""
        wanted, had = self.wanted.parameters[name], theirs[name]
        if not (isinstance(wanted, int) and isinstance(had, int)) or abs(wanted - had) < 2:
            return None
        middle = (wanted + had) // 2
        works = [self._describe({**theirs, name: value}) for value in (wanted, middle, had)]
        if None in works or len({work.size for work in works}) > 1:
            return None
        share = (middle - had) / (wanted - had)
        ends = {phase.phase: (phase, works[2].phase(phase.phase)) for phase in works[0].phases}
        if not all(_straight(works[1].phase(phase), *pair, share) for phase, pair in ends.items()):
            return None
        phases = {
            phase: _amount(more) / _amount(less) for phase, (more, less) in ends.items() if _amount(less)
        }
        amounts = [sum(map(_amount, work.phases)) for work in (works[0], works[2])]
        whole = amounts[0] / amounts[1] if amounts[1] else 1.0
        return Factor(whole, phases) if abs(whole - 1.0) > _PROPORTIONAL else None

    @staticmethod
    def _ratio(wanted: Work | None, other: Work | None) -> float | str | None:
        """Ratio of the two works where it is the same for all counts, else None; or that one was refused or
        has another size."""
        if wanted is None or other is None:
            return _REFUSED
        if wanted.size != other.size:
            return _SIZE
        counts = ((wanted.total(name), other.total(name)) for name in _OF_WORK)
        ratios = [our / their for our, their in counts if our and their]
        if not ratios and wanted.steps and other.steps:
            ratios = [wanted.steps / other.steps]
        if not ratios or max(ratios) - min(ratios) > _PROPORTIONAL * max(ratios):
            return None
        return ratios[0]

    def _describe(self, parameters: Parameters) -> Work | None:
        try:
            work = self.describe(parameters)
        except UserError:
            return None
        return None if work.refused else work


def _amount(phase: PhaseWork) -> float:
    return sum(getattr(phase, name) for name in _OF_WORK)


def _straight(middle: PhaseWork | None, more: PhaseWork, less: PhaseWork | None, share: float) -> bool:
    """Whether each count of the middle lies between the others' as its parameter does, and none of them is missing."""
    if middle is None or less is None or bool(_amount(more)) != bool(_amount(less)):
        return False
    for name in _OF_WORK:
        high, low = getattr(more, name), getattr(less, name)
        between = low + share * (high - low)
        if abs(getattr(middle, name) - between) > _PROPORTIONAL * max(high, low):
            return False
    return True
