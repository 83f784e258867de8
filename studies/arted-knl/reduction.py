"""The sum over all processes alone, as the publication measured it: one message length, by mode of the node and number of nodes."""

from typing import Any

from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.network import network_plan
from hakaru.studies.analyses import Context
from hakaru.studies.replays import loop_schedule, machine_named, replay_made
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .settings import Settings

TIMES = 20


def schedule(ranks: int, size_bytes: int, times: int = TIMES) -> dict[str, Any]:
    """Sums of so many bytes over all ranks, one after the other."""
    one = {"do": "allreduce", "bytes": size_bytes}
    return loop_schedule([one], ranks, times, f"{times} allreduces of {size_bytes} B")


def reduction_rows(study: Study[Settings], context: Context) -> list[Row]:
    """Seconds of one sum: ``allreduce/SYSTEM/NODES``."""
    asked = study.settings.reduction
    systems = {system.name: system for system in study.settings.systems}
    times, rows = {}, []
    for name in asked.systems:
        processes = systems[name].processes
        machine = machine_named(systems[name].machine)
        for nodes in asked.nodes:
            ranks = nodes * processes
            plan = network_plan(machine, study.settings.network, ranks, 1, processes)
            options = Options(sharing=study.settings.links)
            found = replay_made(context.engine, schedule(ranks, asked.bytes), plan.network, options)
            times[name, nodes] = found.makespan_s / TIMES
            rows.append(Row(f"allreduce/{name}/{nodes}", None, times[name, nodes], "s"))
    return rows


def reduction_section(study: Study[Settings], result: Result) -> Section:
    from hakaru.base import units

    asked = study.settings.reduction
    times = {tuple(row.id.split("/")[1:]): row.ours for row in result.of("allreduce/")}
    words = [
        f"One sum of {units.capacity(asked.bytes)} over all processes, replayed.",
        f"The publication's figure has no numbers in its text, which says: {asked.stated}.",
    ]
    lines = [
        [str(nodes), *(units.seconds(times[name, str(nodes)]) for name in asked.systems)]
        for nodes in asked.nodes
    ]
    return Section("The sum over all processes", words, [], ["nodes", *asked.systems], lines)
