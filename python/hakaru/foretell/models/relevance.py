"""Which records say something about the wanted run, and what was left out and why."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hakaru.facts.records import Record
from hakaru.facts.records.shares import shared
from hakaru.facts.work import Parameters, Work
from hakaru.foretell.models.observations import Observation, launch_phases, phase_kinds, point_of

Describe = Callable[[Parameters], Work]
_PROPORTIONAL = 0.01
_REFUSED, _SIZE = "refused", "another size"


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


def relevant(records: Sequence[Record], wanted: Work, describe: Describe | None = None) -> Relevant:
    """Records of any size that run the same problem as ``wanted``, as observations.

    A parameter may differ where it sets the size, or where it multiplies all work alike (such as a number
    of steps: times are then multiplied by the ratio of the work). ``describe(parameters) -> Work``
    tells which; without it, parameters may only differ where the size does. Everything else must be equal.
    """
    usable, reasons = sound(records)
    factors = _Factors(wanted, describe)
    groups: dict[tuple, list[tuple[Record, float]]] = {}
    for record in usable:
        factor = factors.of(record)
        if factor is None:
            reasons["other parameters"] += 1
            continue
        work = record.work
        groups.setdefault((work.size, work.ranks, work.threads), []).append((record, factor))
    observations = []
    for key in sorted(groups):
        members = groups[key]
        point = point_of(members[-1][0].work)
        launches = tuple(
            {name: value * factor for name, value in launch_phases(record, left_alone=True).items()}
            for record, factor in members
        )
        walls_s = tuple(factor * record.middle(lambda one: one.wall_s) for record, factor in members)
        names = tuple(record.id for record, _ in members)
        observations.append(Observation(_scaled(point, members[-1][1]), launches, names, walls_s))
    used = tuple(record for members in groups.values() for record, _ in members)
    left_out = tuple(
        f"{count} record{'s' * (count != 1)}: {reason}" for reason, count in reasons.most_common()
    )
    return Relevant(tuple(observations), phase_kinds(used), used, left_out)


def _scaled(point, factor: float):
    from dataclasses import replace

    if factor == 1.0:
        return point
    work = {phase: {name: value * factor for name, value in row.items()} for phase, row in point.work.items()}
    return replace(point, work=work)


def times_the_work(wanted: Work, theirs: Parameters, describe: Describe) -> float | None:
    """How many times the work of a run of the same size is wanted; None where another size or another problem is."""
    return _Factors(wanted, describe).of_parameters(theirs, wanted.size)


class _Factors:
    """Ratio of the wanted run's work to a record's by parameters that do not set the size; None when they
    cannot be compared."""

    def __init__(self, wanted: Work, describe: Describe | None):
        self.wanted, self.describe = wanted, describe
        self._known: dict[str, float | None] = {}

    def of(self, record: Record) -> float | None:
        return self.of_parameters(record.work.parameters or record.parameters, record.work.size)

    def of_parameters(self, theirs: Parameters, size: float | None) -> float | None:
        ours = self.wanted.parameters
        different = sorted(name for name in {*ours, *theirs} if ours.get(name) != theirs.get(name))
        if self.describe is None:
            return 1.0 if not different or size != self.wanted.size else None
        key = json.dumps(theirs, sort_keys=True)
        if key not in self._known:
            self._known[key] = self._product(different, theirs)
        return self._known[key]

    def _product(self, different: Sequence[str], theirs: Parameters) -> float | None:
        factor = 1.0
        for name in different:
            one = self._single(name, theirs)
            if one is None:
                return None
            factor *= one
        return factor

    def _single(self, name: str, theirs: Parameters) -> float | None:
        """1 when the parameter sets the size, the ratio of the work when it multiplies all of it, else None.

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
            return 1.0
        if isinstance(ours[name], str | bool):
            return None
        ratio = there if here == _REFUSED else here
        if ratio is None or abs(ratio - 1.0) > _PROPORTIONAL:
            return ratio
        return 1.0 if refused else None

    @staticmethod
    def _ratio(wanted: Work | None, other: Work | None) -> float | str | None:
        """Ratio of the two works where it is the same for all counts, else None; or that one was refused or
        has another size."""
        if wanted is None or other is None:
            return _REFUSED
        if wanted.size != other.size:
            return _SIZE
        counts = zip(_counts(wanted), _counts(other), strict=True)
        ratios = [our / their for our, their in counts if our and their]
        if not ratios and wanted.steps and other.steps:
            ratios = [wanted.steps / other.steps]
        if not ratios or max(ratios) - min(ratios) > _PROPORTIONAL * max(ratios):
            return None
        return ratios[0]

    def _describe(self, parameters: Parameters) -> Work | None:
        from hakaru.base.errors import UserError

        try:
            work = self.describe(parameters)
        except UserError:
            return None
        return None if work.refused else work


def _counts(work: Work) -> list[float]:
    """Work of the whole program; messages and calls are left out: a run has a few of its own at its end."""
    return [work.total(name) for name in ("flops", "bytes", "message_bytes")]
