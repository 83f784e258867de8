"""The time of a program on a machine that nobody here has: its schedule replayed there, computing carried from runs here."""

import dataclasses
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval
from hakaru.base.topology import usable_cores
from hakaru.facts import programs
from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.facts.machines.missing import obstacles
from hakaru.facts.records import Record, RecordStore
from hakaru.facts.work import Scalar, Work
from hakaru.foretell.elsewhere.held import computing_s, of_answer, unsteady
from hakaru.foretell.energy import facts as energy
from hakaru.foretell.replay import compute, session, store
from hakaru.foretell.replay import source as sources
from hakaru.foretell.replay.calibration import Calibration, calibrate, precision_of
from hakaru.foretell.replay.carried import carried, share_of
from hakaru.foretell.replay.documents.answer import Answer
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.placement import placement
from hakaru.foretell.replay.question import Choices, Question

HOUR_S = 3600.0


@dataclass(frozen=True)
class Asked:
    """A program with its parameters; ``ranks`` None: as many as the cores of ``nodes`` hold. ``folder`` has the runs and the machine here."""

    folder: Path
    program: str
    given: Mapping[str, Scalar]
    ranks: int | None = None
    threads: int = 1
    nodes: int = 1
    mpi: str = "openmpi"

    def ranks_on(self, machine: Machine) -> int:
        """Raises UserError where the machine does not say its cores."""
        if self.ranks is not None:
            return self.ranks
        if machine.cores is None:
            raise lacking(machine, self.nodes)
        return self.nodes * max(machine.cores // self.threads, 1)


@dataclass(frozen=True)
class Elsewhere:
    """Of one repetition. ``computing_s`` is what it would take if messages cost nothing; ``calibrated`` says which runs it rests on."""

    answer: Answer
    nodes: int
    time_s: Span
    computing_s: float
    calibrated: str
    energy: energy.Energy | None

    @property
    def messages_s(self) -> float:
        return self.answer.time_s - self.computing_s

    @property
    def node_hours(self) -> Span:
        return self.time_s.scaled(self.nodes / HOUR_S)


def foretell(asked: Asked, machine: Machine) -> Elsewhere:
    """Raises UserError naming the fact that the machine lacks, and where no run here says how long computing takes."""
    ranks = asked.ranks_on(machine)
    placed = placement(machine, asked.threads, None, Told())
    nodes = placed.nodes(ranks)
    if obstacles(machine, nodes, ranks):
        raise lacking(machine, nodes, ranks)
    tool = engine(store.kept(asked.folder))
    with tempfile.TemporaryDirectory(prefix="hakaru-elsewhere-") as folder:
        words = ",".join([asked.program, *programs.assignments(dict(asked.given))])
        source = sources.find(f"{sources.PREFIX}{words}", ranks, asked.threads, Path(folder))
        found = calibration(asked, source.evaluated)
        there = on_target(found, here(asked.folder), machine, ranks, asked.threads)
        question = Question(source, Choices(way="measured", calibration=there, mpi=asked.mpi), tool)
        answer = session.replay(question, machine, [])
    busy = min(ranks, placed.ranks_per_node) * asked.threads
    time_s = of_answer(answer, unsteady=unsteady(machine, busy))
    return Elsewhere(
        answer, nodes, time_s, computing_s(answer), found.text, energy.of(machine, nodes, time_s)
    )


def lacking(machine: Machine, nodes: int, ranks: int = 1) -> UserError:
    """What keeps a program from being foretold there."""
    first = obstacles(machine, nodes, ranks)[0]
    return UserError(
        f"nothing can be foretold on '{machine.name}'",
        f"it does not say {first.name}, and without it {first.without}",
        f"hakaru machines {machine.name} lists what it lacks; add the fact with its source to a copy of its file",
    )


def here(folder: Path) -> Machine:
    """The machine that was probed into the results folder. Raises UserError when none was."""
    return Machine.load(folder / "machine.toml")


def calibration(asked: Asked, wanted: Work) -> Calibration:
    """How many times longer than its roofline each phase took in the runs here nearest to what is wanted."""
    records: list[Record] = RecordStore(asked.folder).all(program=asked.program)
    program = programs.named(asked.program)

    def describe(parameters: Mapping[str, Scalar]) -> Work:
        return program.work(dict(parameters), wanted.ranks, asked.threads)

    try:
        return calibrate(records, wanted, describe, here(asked.folder), Told())
    except UserError as error:
        words = " ".join([asked.program, *programs.assignments(dict(asked.given))])
        raise UserError(
            f"nothing here says how long the computing of {asked.program} takes",
            str(error),
            f"run it here first, at this size or a smaller one: hakaru app {words}{_with(asked.threads)}",
        ) from None


def _with(threads: int) -> str:
    """Words for a layout that runs here must have; of more threads than there are cores they can have none."""
    if threads > usable_cores():
        return f" with {threads} threads; this host has {usable_cores()} cores, so ask for fewer threads and more ranks"
    return f" --threads {threads}" if threads > 1 else ""


def on_target(
    found: Calibration, measured_on: Machine, machine: Machine, ranks: int, threads: int
) -> Calibration:
    """The calibration for the target: what each phase took here, carried there, over its roofline there; never faster than the peak."""
    point = found.observation.point
    precision = precision_of(point.parameters)
    ours = compute.rates(
        measured_on,
        placement(measured_on, threads, point.ranks, Told()),
        point.ranks,
        Told(),
        precision,
    )
    theirs = compute.rates(machine, placement(machine, threads, None, Told()), ranks, Told(), precision)
    before = share_of(measured_on, point.ranks, threads, precision=precision)
    after = share_of(machine, ranks, threads, precision=precision)
    factors = {}
    for phase, factor in found.factors.items():
        counts = point.work[phase]
        allocate = ours.write_allocate and counts.get("bytes_write_allocate")
        moved = (allocate or counts.get("bytes", 0.0)) / point.ranks
        least_s = compute.roofline_s(counts, ours) / point.ranks
        least_there_s = compute.roofline_s(counts, theirs) / point.ranks
        flops_s = counts.get("flops", 0.0) / point.ranks / theirs.flops_per_s
        ends = {
            end: max(carried(getattr(factor, end) * least_s, moved, before, after).value, flops_s)
            / least_there_s
            for end in ("value", "low", "high")
        }
        factors[phase] = Interval(**ends, count=factor.count, coverage=factor.coverage)
    return dataclasses.replace(found, factors=factors)
