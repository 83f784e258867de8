"""The layouts of the study, and a step of one by replay: operations and messages are the schedule's, computing is priced by the machine."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.facts.machines import Machine
from hakaru.facts.schedules.schedule import TIMED
from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.network import network_plan
from hakaru.studies.analyses import Context
from hakaru.studies.study import Study

from . import equal_ranks
from .settings import Settings
from .vector_machine import (
    DOUBLE_BYTES,
    SINGLE_BYTES,
    Layout,
    StepTime,
    StepWork,
    VectorMachine,
)

COPIES, TRANSPOSES = "pack", "transpose"


@dataclass(frozen=True)
class Replayed:
    """A step of one layout: its time, what of it is transposing (messages and copies), and what was computed."""

    layout: Layout
    flops: float
    time_s: float
    transposition_s: float
    computed: StepTime

    @property
    def rate(self) -> float:
        """flop/s of all processors."""
        return self.flops / self.time_s

    @property
    def share(self) -> float:
        return self.transposition_s / self.time_s


Found = dict[Layout, Replayed]


def work_of(study: Study[Settings]) -> StepWork:
    work = study.settings.work
    return StepWork(work.log, work.constant, work.transpositions, work.starts)


def most_ranks(n: int) -> int:
    """Planes of the half spectrum: each process holds one or more."""
    return n // 2


def least_nodes(study: Study[Settings], n: int, value_bytes: int = DOUBLE_BYTES) -> int:
    """Nodes whose memory holds the published bytes of a point."""
    memory = study.settings.memory
    needed = memory.bytes * (n / memory.n) ** 3 * value_bytes / DOUBLE_BYTES
    return -(-int(needed) // int(memory.node_bytes))


def layouts(study: Study[Settings]) -> list[Layout]:
    """The study's layouts in order, largest replays first."""
    found = []
    for grid in study.settings.grids:
        size = SINGLE_BYTES if grid.precision == "single" else DOUBLE_BYTES
        for nodes in grid.nodes:
            for processors in grid.processors:
                models = [model == "hybrid" for model in grid.models]
                found += [Layout(grid.n, nodes, processors, hybrid, size) for hybrid in models]
    fits = [
        one
        for one in dict.fromkeys(found)
        if one.ranks <= most_ranks(one.n)
        and one.nodes >= least_nodes(study, one.n, one.value_bytes)
        and not (one.hybrid and one.processors == 1)
    ]
    return sorted(fits, key=lambda one: -one.ranks)


def replay(study: Study[Settings], machine: Machine, layout: Layout, context: Context) -> Replayed:
    """One step of a layout on a machine."""
    work = work_of(study)
    computed = VectorMachine.of(machine).step(work, layout)
    program = study.programs[0]
    name = f"{program.application}-{layout.n}-{layout.model}-{layout.nodes}x{layout.processors}-{layout.value_bytes}"
    whole = context.schedule_of(
        program.with_parameters({"n": layout.n}).changed(application=name, ranks=layout.ranks)
    )
    source = whole.with_name(f"{whole.name.removesuffix('.schedule.json')}.json")
    document = equal_ranks.head(whole)
    priced = equal_ranks.spread(
        document, _price(computed), layout.value_bytes / DOUBLE_BYTES, _starts_s(machine, layout)
    )
    shortened, times = equal_ranks.first_period(priced, TRANSPOSES)
    _write(source, shortened)
    whole.unlink(missing_ok=True)
    plan = network_plan(
        machine,
        "hierarchy" if layout.nodes * layout.processors > 1 else "loggp",
        layout.ranks,
        layout.threads,
        layout.ranks_per_node,
    )
    result = context.engine.replay(source, plan.network, Options(sharing="first_come"), TIMED)
    source.unlink(missing_ok=True)
    transposing = times * result.phase_s(TRANSPOSES)
    time_s = result.makespan_s + transposing - result.phase_s(TRANSPOSES)
    return Replayed(layout, work.flops(layout.n), time_s, transposing + result.phase_s(COPIES), computed)


def _starts_s(machine: Machine, layout: Layout) -> float:
    """Processor time of starting the puts to other nodes of one transposition."""
    start = machine.number("network.node.put_start")
    return (layout.ranks - layout.ranks_per_node) * float(start) if start else 0.0


def _price(computed: StepTime):
    """Time of one computation: copies among themselves; everything else takes the arithmetic and the misses in equal parts."""

    def seconds(phase: str, counts: dict[str, int]) -> float:
        if phase == COPIES:
            return computed.copies_s / counts[COPIES]
        others = sum(count for name, count in counts.items() if name != COPIES)
        return (computed.arithmetic_s + computed.misses_s) / others

    return seconds


def _write(path: Path, document: dict[str, Any]) -> None:
    path.write_text(json.dumps(document, separators=(",", ":")))
