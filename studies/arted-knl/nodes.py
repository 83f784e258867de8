"""The nodes of a system for questions that the publication left open: what a time step takes on them by replay."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from hakaru.facts.machines import Machine
from hakaru.facts.schedules import Schedule
from hakaru.foretell.replay.documents import Network, Options, Result
from hakaru.foretell.replay.documents.network import Level, Price
from hakaru.foretell.replay.documents.options import Noise, Roofline
from hakaru.foretell.replay.network import network_plan
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.replays import machine_named, replay_made
from hakaru.studies.study import Study

from .points import busy
from .reduction import schedule as sums
from .settings import LeftOpen, Settings, System
from .steady import steady

ELEMENT_BYTES = 8
MOST_ALONG_AXIS = 256  # k-points that the program takes
MESH_AXES = ("kx", "ky", "kz")
FEW = "recursive_doubling"


def kernel_rate(study: Study[Settings], case: str, system: System) -> float:
    """flop/s of a node: the faster of the published variants."""
    table = study.published.table(study.settings.kernels)
    row = next(row for row in table.rows if row["case"] == case and row["processor"] == system.processor)
    return 1e9 * max(row[variant] for variant in study.settings.variants)


def mesh(k_points: int) -> dict[str, int]:
    """A mesh of exactly so many k-points, its longest axis as short as may be; what counts is how many there are."""
    best: tuple[int, int, int] | None = None
    for x in range(1, MOST_ALONG_AXIS + 1):
        if k_points % x:
            continue
        for y in range(x, MOST_ALONG_AXIS + 1):
            z, rest = divmod(k_points // x, y)
            if rest == 0 and y <= z <= MOST_ALONG_AXIS and (best is None or z < best[2]):
                best = (x, y, z)
    if best is None:
        raise ValueError(f"no mesh of {k_points} k-points has axes of at most {MOST_ALONG_AXIS}")
    return dict(zip(MESH_AXES, best, strict=True))


@dataclass(frozen=True)
class Step:
    """Seconds of a time step, and of it those that the process computes that computes longest."""

    step_s: float
    computing_s: float

    @property
    def messages_s(self) -> float:
        return self.step_s - self.computing_s

    @property
    def share(self) -> float:
        """Of a step that is not computing."""
        return self.messages_s / self.step_s


@dataclass(frozen=True)
class Asked:
    """How a step is replayed: ``threads`` of a node among which its speed is divided, its ``processes``; factors on ``latency`` and time
    ``per_byte`` between nodes, on the latency ``inside`` one and on the time of ``adding`` numbers; ``noise`` of each process;
    ``gather``: the algorithm of an allgather, where it is not the library's choice."""

    steps: int = 1
    threads: int | None = None
    processes: int = 1
    latency: float = 1.0
    per_byte: float = 1.0
    inside: float = 1.0
    adding: float = 1.0
    noise: Noise | None = None
    gather: str | None = None


def changed(level: Level, latency: float, per_byte: float) -> Level:
    """With factors on the latency and on the time of a byte."""
    gaps = tuple(msgspec.structs.replace(one, value_s=one.value_s * per_byte) for one in level.gap_per_byte)
    return msgspec.structs.replace(level, latency_s=level.latency_s * latency, gap_per_byte=gaps)


@dataclass(frozen=True)
class Nodes:
    """``read``: schedules that were read before, by name."""

    study: Study[Settings]
    context: Context
    read: dict[str, Schedule] = field(default_factory=dict)

    @cached_property
    def asked(self) -> LeftOpen:
        asked = self.study.settings.left_open
        assert asked is not None
        return asked

    @cached_property
    def system(self) -> System:
        return next(one for one in self.study.settings.systems if one.name == self.asked.system)

    @cached_property
    def machine(self) -> Machine:
        return machine_named(self.system.machine)

    @cached_property
    def program(self) -> Entry:
        return next(one for one in self.study.programs if one.application == self.asked.case)

    @cached_property
    def points(self) -> int:
        """Of the grid in space, by the publication."""
        row = self.study.published.row("problems", "case", self.asked.case)
        x, y, z = row["grid"]
        return x * y * z

    @cached_property
    def sum_bytes(self) -> int:
        """Density, current and three more numbers, as the program sums them."""
        return ELEMENT_BYTES * (self.points + 5)

    def schedule(self, ranks: int, k_points: int, more: Mapping[str, Any] | None = None) -> Schedule:
        entry = self.program.changed(ranks=ranks).with_parameters({**mesh(k_points), **(more or {})})
        if entry.file_name not in self.read:
            self.read[entry.file_name] = Schedule.read(self.context.schedule_of(entry))
        return self.read[entry.file_name]

    def step(self, schedule: Schedule, k_points: int, asked: Asked) -> Step:
        """``k_points`` of all processes that sum one density."""
        network = self.network(schedule.ranks, asked)
        options = self.options(k_points, self._members(schedule), asked)
        found = self.replayed(steady(schedule, asked.steps), network, options)
        return Step(found.makespan_s / asked.steps, found.breakdown.compute.maximum / asked.steps)

    def _members(self, schedule: Schedule) -> int:
        """Processes that share the k-points."""
        family = next((one for one in schedule.communicators if one.name == "point"), None)
        if family is None or not family.groups:
            return schedule.ranks
        return sum(abs(last - first) // abs(by) + 1 for first, last, by in family.groups[0])

    def options(self, k_points: int, members: int, asked: Asked) -> Options:
        case, each = self.study.settings.cases[self.asked.case], asked.processes
        threads = asked.threads or self.system.threads
        share = busy(k_points, case.bands, members, threads // each).share
        bandwidth = self.machine.bandwidth(self.system.cores, write_allocate=False)
        rates = Roofline(
            flop_rate=kernel_rate(self.study, self.asked.case, self.system) * share / each,
            memory_bandwidth=bandwidth.value / each,
        )
        return Options(
            roofline=rates,
            sharing="none" if each == 1 else "first_come",
            decision=self.asked.library,
            collectives={"allgather": Price(algorithm=asked.gather)} if asked.gather else {},
            noise=asked.noise,
        )

    def network(self, ranks: int, asked: Asked) -> Network:
        plan = network_plan(self.machine, self.study.settings.network, ranks, 1, asked.processes)
        levels = plan.network.levels | {
            name: changed(level, *factors)
            for name, level in plan.network.levels.items()
            if (factors := {"node": (asked.latency, asked.per_byte), "core": (asked.inside, 1.0)}.get(name))
        }
        adding = (plan.network.reduction_s_per_byte or 0.0) * asked.adding
        return msgspec.structs.replace(plan.network, levels=levels, reduction_s_per_byte=adding)

    def replayed(self, schedule: Schedule | dict[str, Any], network: Network, options: Options) -> Result:
        return replay_made(self.context.engine, schedule, network, options)

    def sum_alone(
        self, ranks: int, size_bytes: int, algorithm: str | None = None, asked: Asked | None = None
    ) -> float:
        """Seconds of one sum over all ranks; as the library chooses, where no algorithm is named."""
        asked = asked or Asked()
        options = Options(
            sharing="none" if asked.processes == 1 else "first_come",
            decision=self.asked.library,
            collectives={"allreduce": Price(algorithm=algorithm)} if algorithm else {},
        )
        return self.replayed(sums(ranks, size_bytes, 1), self.network(ranks, asked), options).makespan_s
