"""Launches grouped by program, parameters, setting and layout; a launch's value is the median over its
repetitions.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from hakaru.base.statistics import Interval, median, median_interval

WAIT = "wait for others"
OTHER = "other"
KINDS = ("compute", "communicate", "io", "idle")
_SETTING = ("host", "cpu_model", "mpi_library", "compiler", "compiler_flags")

Repetition = dict
Pick = Callable[[Repetition], float]


@dataclass(frozen=True)
class Group:
    """All successful launches of one program with one set of parameters on one layout."""

    ranks: int
    threads: int
    records: list[dict]

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
        return any(record["layout"].get("oversubscribed") for record in self.records)

    @property
    def work(self) -> dict:
        return self.records[-1].get("work") or {}

    @property
    def phase_kinds(self) -> dict[str, str]:
        """Kind of every phase in the order of the program's description; then waiting and what no phase
        claims.
        """
        kinds = {phase["name"]: phase["kind"] for phase in self.records[-1].get("phases", [])}
        for record in self.records:
            for repetition in record["repetitions"]:
                for name in repetition.get("phases", {}):
                    kinds.setdefault(name, "idle" if name == WAIT else "compute")
        waiting = kinds.pop(WAIT, None)
        return {**kinds, OTHER: "compute", **({WAIT: waiting} if waiting else {})}

    def over_launches(self, pick: Pick) -> Interval:
        """Median and 95 % interval over launches of the median over repetitions of ``pick``."""
        return median_interval([launch_value(record, pick) for record in self.records])

    def middle(self, pick: Pick) -> float:
        return median([launch_value(record, pick) for record in self.records])


@dataclass(frozen=True)
class Case:
    """One problem: a program with its parameters in one setting (host, compiler, MPI library), on several
    layouts.
    """

    program: str
    parameters: dict
    setting: dict
    groups: list[Group] = field(default_factory=list)

    @property
    def work(self) -> dict:
        return self.groups[0].work if self.groups else {}


def layout_name(ranks: int, threads: int) -> str:
    return f"{ranks} rank{'s' * (ranks != 1)} × {threads} thread{'s' * (threads != 1)}"


def layout_style(ranks: int, threads: int) -> str:
    """``flat MPI`` has one thread a rank; ``MPI + OpenMP`` has more, also where a single rank holds them
    all.
    """
    if threads > 1:
        return "MPI + OpenMP"
    return "flat MPI" if ranks > 1 else "one core"


def launch_value(record: dict, pick: Pick) -> float:
    return median([pick(repetition) for repetition in record["repetitions"]])


def rank_times(repetition: Repetition, name: str) -> list[float]:
    """One exclusive time per rank in s; ``other`` is what no phase claims between a rank's start and its
    end.
    """
    rank_s = repetition["rank_s"]
    phases = repetition.get("phases", {})
    if name != OTHER:
        return phases.get(name, [0.0] * len(rank_s))
    claimed = [
        sum(values[rank] for phase, values in phases.items() if phase != WAIT) for rank in range(len(rank_s))
    ]
    return [max(0.0, total - named) for total, named in zip(rank_s, claimed, strict=True)]


def kind_times(repetition: Repetition, kinds: dict[str, str], kind: str) -> list[float]:
    """Time of one kind on every rank in s."""
    columns = [rank_times(repetition, name) for name, its_kind in kinds.items() if its_kind == kind]
    return (
        [sum(values) for values in zip(*columns, strict=True)]
        if columns
        else [0.0] * len(repetition["rank_s"])
    )


def is_sample(record: dict) -> bool:
    """A successful, not disproved run of an app that carries repetitions."""
    return (
        record.get("kind") == "app"
        and record.get("command") == "run"
        and record.get("status") == "ok"
        and record.get("verdict") != "failed"
        and bool(record.get("repetitions"))
    )


def setting_of(record: dict) -> dict:
    environment = record.get("environment") or {}
    return {name: environment.get(name) for name in _SETTING}


def cases(records: Iterable[dict]) -> list[Case]:
    """Cases sorted by program and problem size, each with its layouts sorted by cores, then threads."""
    found: dict[str, Case] = {}
    grouped: dict[tuple[str, int, int], Group] = {}
    for record in sorted(filter(is_sample, records), key=lambda record: record["id"]):
        setting = setting_of(record)
        key = json.dumps([record["program"], record["parameters"], setting], sort_keys=True)
        case = found.setdefault(key, Case(record["program"], record["parameters"], setting))
        place = (key, record["layout"]["ranks"], record["layout"]["threads"])
        if place not in grouped:
            grouped[place] = Group(place[1], place[2], [])
            case.groups.append(grouped[place])
        grouped[place].records.append(record)
    for case in found.values():
        case.groups.sort(key=lambda group: (group.cores, group.threads))
    return sorted(
        found.values(), key=lambda case: (case.program, case.work.get("size") or 0, str(case.parameters))
    )


def labels(all_cases: list[Case]) -> list[str]:
    """A short name for each case: the program, its size, and the parameters in which its cases differ."""
    result = []
    for case in all_cases:
        same = [other for other in all_cases if other.program == case.program]
        varying = [
            name
            for name in case.parameters
            if len({json.dumps(other.parameters.get(name), sort_keys=True) for other in same}) > 1
        ]
        text = ", ".join(f"{name}={plain(case.parameters[name])}" for name in varying)
        if not text and case.work.get("size"):
            text = f"{case.work['size']:g} {case.work.get('size_meaning') or ''}".strip()
        differs = [name for name in _SETTING if len({str(other.setting[name]) for other in same}) > 1]
        where = ", ".join(str(case.setting[name]) for name in differs)
        result.append(case.program + (f" {text}" if text else "") + (f" [{where}]" if where else ""))
    return result


def plain(value: object) -> str:
    """A parameter's value as it is written on a command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
