"""Schedules of a study's programs, replayed on machines with PUT and GET."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts import programs
from hakaru.facts.machines import Machine, known_machines
from hakaru.facts.schedules import SCHEMA, Schedule
from hakaru.foretell.replay.documents import Network, Options, Result
from hakaru.foretell.replay.documents.options import Roofline, RunTimeSystem
from hakaru.foretell.replay.engine import Engine
from hakaru.foretell.replay.network import network_plan
from hakaru.studies.entry import Entry

PARTS = ("compute", "runtime", "overhead", "waiting")
UNLIMITED_BYTES_PER_S = 1e30


@dataclass(frozen=True)
class Replayed:
    """``parts_s`` are means over ranks; what they leave of the time is waiting for the last rank."""

    time_s: float
    parts_s: dict[str, float]

    @property
    def shares(self) -> dict[str, float]:
        return {name: value / self.time_s for name, value in self.parts_s.items()}


def written_schedule(entry: Entry, folder: Path) -> Path:
    """The schedule that a study's program writes for its ranks. Raises UserError with the program's own words."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / entry.file_name
    programs.named(entry.program).write_schedule(path, entry.parameters, entry.ranks, preset=entry.preset)
    return path


def loop_schedule(operations: Sequence[dict[str, Any]], ranks: int, times: int, words: str) -> dict[str, Any]:
    """All ranks do the same, so often; ``words`` describe it."""
    body = [{"do": "repeat", "times": times, "operations": list(operations)}]
    return {
        "schema": SCHEMA,
        "program": "",
        "description": words,
        "ranks": ranks,
        "phases": [],
        "works": [],
        "lists": [],
        "communicators": [{"name": "world"}],
        "streams": [{"ranks": [[0, ranks - 1, 1]], "operations": body}],
    }


def replay_made(
    engine: Engine, schedule: Schedule | dict[str, Any], network: Network, options: Options
) -> Result:
    """Of a schedule that is no file yet."""
    with tempfile.TemporaryDirectory(prefix="hakaru-study-") as folder:
        path = Path(folder) / "made.schedule.json"
        path.write_bytes(msgspec.json.encode(schedule))
        return engine.replay(path, network, options)


@dataclass
class Bench:
    """One program's schedule and the engine. ``run_time_system``: seconds of the processor, at computation_factor 1, for each call."""

    engine: Engine
    schedule: Path
    network: str = "torus"
    links: str = "none"
    run_time_system: RunTimeSystem | None = None
    document: Schedule = field(init=False)

    def __post_init__(self) -> None:
        self.document = Schedule.read(self.schedule)

    @property
    def ranks(self) -> int:
        return self.document.ranks

    @property
    def flops(self) -> float:
        """Of the rank that has most, in the timed part."""
        return self.document.flops

    def replay(
        self,
        machine: Machine,
        flops_per_s: float,
        options: Options | None = None,
    ) -> Replayed:
        """The timed part on a machine; ``flops_per_s`` is the rate at computation_factor 1. ``options``: the engine's others."""
        options = options or Options()
        asked = msgspec.structs.replace(
            options,
            compute_factor=computation_factor(machine),
            roofline=flops_only(flops_per_s),
            sharing=options.sharing or self.links,
            run_time_system=self.run_time_system,
        )
        network = network_plan(machine, self.network, self.ranks, 1).network
        return self.timed(network, asked)

    def timed(self, network: Network, options: Options) -> Replayed:
        """The timed part."""
        return read(self.engine.replay(self.schedule, network, options, self.part()))

    def part(self) -> str | None:
        return self.document.timed_phase


def flops_only(flops_per_s: float) -> Roofline:
    """Computing that memory never holds up."""
    return Roofline(flop_rate=flops_per_s, memory_bandwidth=UNLIMITED_BYTES_PER_S)


def read(result: Result) -> Replayed:
    parts = {name: getattr(result.breakdown, name).mean for name in PARTS}
    parts["waiting"] += max(result.makespan_s - sum(parts.values()), 0.0)
    return Replayed(result.makespan_s, parts)


def machine_named(name: str) -> Machine:
    known = known_machines()
    if name not in known:
        raise UserError(
            f"the study asks for a machine '{name}'", f"known are: {', '.join(known)}", "mend study.toml"
        )
    return Machine.load(known[name])


def computation_factor(machine: Machine) -> float:
    """Time of computing against the machine on which rates are given."""
    factor = machine.number("compute.computation_factor")
    return 1.0 if factor is None else float(factor)
