"""Studies of a kernel's speed by processor and of a program's strong scaling over machines whose kernel speed was published.

A node is priced by the published speed of its kernel and by its memory's bandwidth, its threads by how evenly they share the orbitals;
messages by the network's facts. Nothing is fitted. ``--here`` measures the kernel on this machine.
"""

from hakaru.base import units
from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.documents.options import Roofline
from hakaru.foretell.replay.network import network_plan
from hakaru.studies.analyses import Context
from hakaru.studies.entry import Entry
from hakaru.studies.replays import Bench, machine_named
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import left_open, shown
from .here import here_rows
from .nodes import kernel_rate
from .points import Point, busy
from .reduction import reduction_rows, reduction_section
from .settings import Settings, System

ASSUMED = "assumption"


def run(study: Study[Settings], context: Context) -> Result:
    """Times of a step by case, system and nodes; what the publication states of them; how the kernel's gain is spread."""
    settings, result, points = study.settings, Result(basis=study.basis), []
    for program in study.programs:
        for system in settings.systems:
            for nodes in system.nodes.get(program.application, ()):
                context.say(f"{program.application} on {nodes} nodes, {system.name}")
                points.append(replayed(study, program, system, nodes, context))
    for point in points:
        name = f"scaling/{point.case}/{point.system}/{point.nodes}"
        step = Row(f"{name}/step", None, point.step_s, "s")
        result.add([step, Row(f"{name}/efficiency", None, efficiency(points, point), "1")])
    result.add(comparison_rows(study, points))
    result.sections = shown.sections(study, points, result)
    if settings.reduction:
        result.add(reduction_rows(study, context))
        result.sections.append(reduction_section(study, result))
    if settings.left_open:
        left_open.add(study, context, result)
    result.summary = shown.summary(result)
    result.assumptions = assumptions(study)
    return result


def here(study: Study[Settings], context: Context) -> Result:
    return here_rows(study, context)


def replayed(study: Study[Settings], program: Entry, system: System, nodes: int, context: Context) -> Point:
    settings, case = study.settings, program.application
    processes = system.processes
    ranks, machine = nodes * processes, machine_named(system.machine)
    work = settings.cases[case]
    occupied = busy(work.k_points, work.bands, ranks, system.threads // processes)
    bench = Bench(context.engine, context.schedule_of(program.changed(ranks=ranks)))
    plan = network_plan(machine, settings.network, ranks, 1, processes)
    bandwidth = machine.bandwidth(system.cores, write_allocate=False)
    rates = Roofline(
        flop_rate=kernel_rate(study, case, system) * occupied.share / processes,
        memory_bandwidth=bandwidth.value / processes,
    )
    found = bench.timed(plan.network, Options(roofline=rates, sharing=settings.links))
    steps = program.parameters["steps"]
    return Point(
        case, system.name, nodes, found.time_s / steps, 1.0 - found.shares["compute"], occupied.share
    )


def efficiency(points: list[Point], of: Point) -> float:
    """Against the fewest nodes of the same case and system."""
    first = next(one for one in points if (one.case, one.system) == (of.case, of.system))
    return first.step_s * first.nodes / (of.step_s * of.nodes)


def comparison_rows(study: Study[Settings], points: list[Point]) -> list[Row]:
    """How many times faster one system with its nodes is than another with its own."""
    times = {(one.case, one.system, one.nodes): one.step_s for one in points}
    rows = []
    for entry in study.settings.comparisons:
        ours = (
            times[entry.case, entry.slower.system, entry.slower.nodes]
            / times[entry.case, entry.faster.system, entry.faster.nodes]
        )
        stated = None
        if entry.item is not None:
            said = study.published.row(study.settings.statements, "item", entry.item)["value"]
            stated = float(said) if isinstance(said, int | float) else float(entry.read_as)
        rows.append(Row(f"statements/{entry.name}", stated, ours, "times"))
    return rows


def assumptions(study: Study[Settings]) -> list[str]:
    texts = list(study.settings.assumptions)
    for name in dict.fromkeys(system.machine for system in study.settings.systems):
        for path, fact in machine_named(name).walk():
            if fact.source.startswith(ASSUMED):
                reason = fact.source.removeprefix(ASSUMED).lstrip(": ")
                value = units.quantity(fact.value, fact.unit)
                texts.append(f"{name}: {path} = {value} ({reason})")
    return texts
