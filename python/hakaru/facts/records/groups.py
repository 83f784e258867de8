"""Launches grouped by program, parameters, setting and layout; a launch's value is the median over its repetitions."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import median

from hakaru.base.statistics import Interval, median_interval
from hakaru.facts.records.record import OTHER, SETTING, WAIT, Record, Repetition, Setting, layout_name
from hakaru.facts.records.shares import shared
from hakaru.facts.work import Parameters, Work

Pick = Callable[[Repetition], float]


@dataclass(frozen=True)
class Group:
    """All successful launches of one program with one set of parameters on one layout."""

    ranks: int
    threads: int
    records: list[Record]

    @property
    def cores(self) -> int:
        return self.ranks * self.threads

    @property
    def name(self) -> str:
        return layout_name(self.ranks, self.threads)

    @property
    def style(self) -> str:
        return layout_style(self.ranks, self.threads)

    @property
    def oversubscribed(self) -> bool:
        return any(record.layout.oversubscribed for record in self.records)

    @property
    def work(self) -> Work:
        return self.records[-1].work

    @property
    def phase_kinds(self) -> dict[str, str]:
        """Kind of every phase in the order of the program's description; then waiting and what no phase claims."""
        kinds: dict[str, str] = {phase.name: phase.kind for phase in self.records[-1].phases}
        for record in self.records:
            for repetition in record.repetitions:
                for name in repetition.phases:
                    kinds.setdefault(name, "idle" if name == WAIT else "compute")
        waiting = kinds.pop(WAIT, None)
        return {**kinds, OTHER: "compute", **({WAIT: waiting} if waiting else {})}

    def over_launches(self, pick: Pick) -> Interval:
        """Median and 95 % interval over launches of the median over repetitions of ``pick``."""
        return median_interval([record.middle(pick) for record in self.records])

    def middle(self, pick: Pick) -> float:
        return median([record.middle(pick) for record in self.records])

    def wall(self) -> Interval:
        """Time of a repetition in s."""
        return self.over_launches(lambda repetition: repetition.wall_s)


@dataclass(frozen=True)
class Problem:
    """One problem: a program with its parameters in one setting (host, compiler, MPI library), on several layouts."""

    program: str
    parameters: Parameters
    setting: Setting
    groups: list[Group] = field(default_factory=list)

    @property
    def work(self) -> Work:
        return self.groups[0].work if self.groups else Work()


def layout_style(ranks: int, threads: int) -> str:
    """``flat MPI`` has one thread a rank; ``MPI + OpenMP`` has more, also where a single rank holds them all."""
    if threads > 1:
        return "MPI + OpenMP"
    return "flat MPI" if ranks > 1 else "one core"


def problems(records: Iterable[Record]) -> list[Problem]:
    """Problems sorted by program and problem size, each with its layouts sorted by cores, then threads."""
    found: dict[str, Problem] = {}
    grouped: dict[tuple[str, int, int], Group] = {}
    samples = (record for record in shared(records) if record.is_sample)
    for record in sorted(samples, key=lambda record: record.id):
        key = json.dumps([record.program, record.parameters, record.setting.as_dict()], sort_keys=True)
        problem = found.setdefault(key, Problem(record.program, record.parameters, record.setting))
        place = (key, record.ranks, record.threads)
        if place not in grouped:
            grouped[place] = Group(record.ranks, record.threads, [])
            problem.groups.append(grouped[place])
        grouped[place].records.append(record)
    for problem in found.values():
        problem.groups.sort(key=lambda group: (group.cores, group.threads))
    return sorted(
        found.values(), key=lambda problem: (problem.program, problem.work.size or 0, str(problem.parameters))
    )


def labels(all_problems: list[Problem]) -> list[str]:
    """A short name for each problem: the program, its size, and the parameters in which problems of the program differ."""
    result = []
    for problem in all_problems:
        same = [other for other in all_problems if other.program == problem.program]
        varying = [
            name
            for name in problem.parameters
            if len({json.dumps(other.parameters.get(name), sort_keys=True) for other in same}) > 1
        ]
        text = ", ".join(f"{name}={plain(problem.parameters[name])}" for name in varying)
        if not text and problem.work.size:
            text = f"{problem.work.size:g} {problem.work.size_meaning}".strip()
        differs = [name for name in SETTING if len({str(getattr(one.setting, name)) for one in same}) > 1]
        where = ", ".join(str(getattr(problem.setting, name)) for name in differs)
        result.append(problem.program + (f" {text}" if text else "") + (f" [{where}]" if where else ""))
    return result


def plain(value: object) -> str:
    """A parameter's value as it is written on a command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
