"""A record in short: what lists, comparisons and histories ask of it, without its samples. Times in s."""

from typing import Any

import msgspec

from hakaru.facts.records.record import OTHER, WAIT, Record
from hakaru.facts.work import Parameters


class Entry(msgspec.Struct, frozen=True, array_like=True, kw_only=True):
    """``wall_s``: the launch's value, median over its repetitions; ``phases``: the same of each phase's mean over ranks, which with ``other``
    and waiting add up to it. ``environment``: what the machine and the software were, by name, as text; ``load``: average before the run.
    """

    id: str
    program: str
    kind: str
    command: str
    status: str
    verdict: str
    started: str
    finished: str
    campaign: str | None
    parameters: Parameters
    ranks: int
    threads: int
    oversubscribed: bool
    traced: bool
    wall_s: float | None
    phases: dict[str, float]
    load: float | None
    reason: str | None
    standard_error: str | None
    environment: dict[str, str] = {}

    @classmethod
    def of(cls, record: Record) -> "Entry":
        failure = record.failure
        return cls(
            **{name: getattr(record, name) for name in _COPIED},
            oversubscribed=record.layout.oversubscribed,
            phases=_phases(record) if record.repetitions else {},
            load=next(iter(record.environment.load_average), None),
            reason=failure.reason if failure else None,
            standard_error=failure.standard_error if failure else None,
            environment=environment_of(record),
        )

    @property
    def date(self) -> str:
        """The day in UTC, 2026-11-22."""
        return self.started[:10]

    @property
    def commit(self) -> str:
        """Of hakaru's sources; empty where it is not known."""
        return self.environment.get("commit", "")

    @property
    def is_run(self) -> bool:
        """A run of a program, no probe, whatever became of it: what performance is asked of."""
        return self.kind != "probe" and self.command == "run"

    @property
    def left_out(self) -> str | None:
        """Why the time of this run is no performance; None when it is."""
        if self.status != "ok":
            return "failed"
        if self.verdict == "failed":
            return "wrong result"
        if self.oversubscribed:
            return "oversubscribed"
        return "without repetitions" if self.wall_s is None else None


_COPIED = (
    "id",
    "program",
    "kind",
    "command",
    "status",
    "verdict",
    "started",
    "finished",
    "campaign",
    "parameters",
    "ranks",
    "threads",
    "traced",
    "wall_s",
)


def _phases(record: Record) -> dict[str, float]:
    named = dict.fromkeys(phase.name for phase in record.phases)
    for repetition in record.repetitions:
        named.update(dict.fromkeys(repetition.phases))
    names = [name for name in named if name != WAIT] + [OTHER] + [WAIT] * (WAIT in named)
    return {name: record.middle(lambda one, name=name: _mean(one.rank_times(name))) for name in names}


def _mean(times: tuple[float, ...]) -> float:
    return sum(times) / len(times)


def environment_of(record: Record) -> dict[str, str]:
    """What may explain a change of time: machine, compiler, MPI library, sources, settings; unknown ones are left out."""
    seen, context = record.environment, record.context
    git, launch, imported = (_object(context.get(name)) for name in ("git", "launch", "imported"))
    found: dict[str, Any] = {
        "host": seen.host,
        "processor": seen.cpu_model,
        "hardware threads": seen.cpus_online,
        "memory in B": seen.memory_bytes,
        "kernel": seen.kernel,
        "compiler": seen.compiler,
        "compiler flags": seen.compiler_flags,
        "MPI library": seen.mpi_library,
        "hosts": " ".join(record.layout.hosts) if len(record.layout.hosts) > 1 else None,
        "commit": git.get("commit"),
        "uncommitted changes": {True: "yes", False: "no"}.get(git.get("changed")),
    }
    if fingerprint := _object(context.get("program")).get("fingerprint"):
        found["description of the program"] = fingerprint
    if imported:
        found["imported from"] = f"{imported.get('from')} {imported.get('version')}"
    found |= {shown: context.get(name) for name, shown in _CONTEXT.items()}
    found |= {f"launch: {name}": launch[name] for name in _LAUNCH if name in launch}
    found |= {f"variable {name}": value for name, value in seen.variables.items()}
    return {name: _text(value) for name, value in found.items() if value is not None}


_CONTEXT = {
    "hakaru": "hakaru",
    "governor": "clock governor",
    "smt": "simultaneous multithreading",
    "transparent_huge_pages": "transparent huge pages",
    "clock_source": "clock source",
    "usable_processors": "usable processors",
}
_LAUNCH = ("launcher", "nodes", "binding", "mapping", "memory", "settings", "threads_of_core", "typed")


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:g}" if isinstance(value, float) else msgspec.json.encode(value).decode()
