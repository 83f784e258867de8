"""Studies of collectives by algorithm: replayed by number of processes and by placement on one machine; measured here inside a node, by its
shared memory and by its network, and between nodes of the virtual cluster.

Nothing is fitted. The publication states how far one algorithm is ahead (``crossovers``) and a threshold of lengths (``here.threshold``).
"""

import json
from typing import Any

from hakaru.base import units
from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.network import network_plan
from hakaru.studies.analyses import Context
from hakaru.studies.replays import machine_named
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from .here import here_rows
from .settings import Crossover, Operation, Scaling, Settings


def run(study: Study[Settings], context: Context) -> Result:
    """Times by processes, length and algorithm; who is ahead up to where; and by placement."""
    result = Result(basis=study.basis)
    assumed: list[str] = []
    for entry in study.settings.scaling:
        context.say(f"{entry.collective}: {len(entry.ranks) * len(entry.bytes)} points")
        result.add(scaling_rows(study, entry, context, assumed))
        result.sections += scaling_sections(entry, result)
    for entry in study.settings.crossovers:
        result.add(crossover_rows(study, entry, result))
    result.add(placement_rows(study, context, assumed))
    result.sections.append(placement_section(study, result))
    result.summary = summary(study, result)
    result.assumptions = [*study.settings.assumptions, *dict.fromkeys(assumed)]
    return result


def here(study: Study[Settings], context: Context) -> Result:
    return here_rows(study, context)


def seconds(
    study: Study[Settings],
    context: Context,
    assumed: list[str],
    operation: Operation,
    ranks: int,
    ranks_per_node: int | None = None,
) -> float:
    """One collective on the study's machine."""
    settings = study.settings
    each = ranks_per_node or settings.ranks_per_node
    collective = operation.collective
    plan = network_plan(
        machine_named(settings.machine),
        settings.network,
        ranks,
        1,
        each,
        {collective: operation.algorithm},
    )
    assumed += plan.told.assumed
    folder = context.results / "studies" / study.name
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{collective}-{ranks}-{operation.bytes}.schedule.json"
    path.write_text(json.dumps(schedule_of(collective, ranks, operation.bytes)))
    return context.engine.replay(path, plan.network, Options(sharing=settings.links)).makespan_s


def schedule_of(collective: str, ranks: int, size: int) -> dict[str, Any]:
    """Every rank calls one collective, once."""
    operation = {"do": collective, "bytes": size} | ({"root": 0} if collective == "broadcast" else {})
    return {
        "schema": "hakaru/schedule/1",
        "program": "",
        "description": f"{collective} of {size} B on {ranks} ranks",
        "ranks": ranks,
        "phases": [],
        "works": [],
        "lists": [],
        "communicators": [{"name": "world"}],
        "streams": [{"ranks": [[0, ranks - 1, 1]], "operations": [operation]}],
    }


def scaling_rows(study: Study[Settings], entry: Scaling, context: Context, assumed: list[str]) -> list[Row]:
    rows = []
    for size in entry.bytes:
        for ranks in entry.ranks:
            for algorithm in entry.algorithms:
                operation = Operation(collective=entry.collective, bytes=size, algorithm=algorithm)
                time_s = seconds(study, context, assumed, operation, ranks)
                name = f"{entry.collective}/{size}/{ranks}/{algorithm}"
                rows.append(Row(name, None, time_s, "s"))
    return rows


def scaling_sections(entry: Scaling, result: Result) -> list[Section]:
    """A table for each length: processes down, algorithms across."""
    times = {row.id: row.ours for row in result.rows}
    sections = []
    for size in entry.bytes:
        lines = []
        for ranks in entry.ranks:
            own = {name: times[f"{entry.collective}/{size}/{ranks}/{name}"] for name in entry.algorithms}
            fastest = min(own, key=own.__getitem__)
            lines.append([str(ranks), *(units.seconds(time_s) for time_s in own.values()), fastest])
        title = f"{entry.collective} of {units.capacity(size)}"
        words = [f"Predicted time of one {title}, by processes and algorithm."]
        sections.append(Section(title, words, [], ["processes", *entry.algorithms, "fastest"], lines))
    return sections


def ahead(times: dict[int, tuple[float, float]]) -> tuple[int, int]:
    """(fewest, most) processes at which the first time is not above the second; (0, 0): nowhere. {ranks: (one, other)}"""
    where = [ranks for ranks, (one, other) in times.items() if one <= other]
    return (min(where), max(where)) if where else (0, 0)


def crossover_rows(study: Study[Settings], entry: Crossover, result: Result) -> list[Row]:
    """From and up to how many of the replayed processes one algorithm is ahead of another."""
    found: dict[int, dict[str, float]] = {}
    for row in result.of(f"{entry.collective}/{entry.bytes}/"):
        _, _, ranks, algorithm = row.id.split("/")
        found.setdefault(int(ranks), {})[algorithm] = row.ours
    first, last = ahead({ranks: (own[entry.faster], own[entry.slower]) for ranks, own in found.items()})
    stated = study.published.number("facts", "item", entry.item, "value")
    name = f"crossover/{entry.collective}/{entry.bytes}/{entry.faster} before {entry.slower}"
    return [
        Row(f"{name}/from", float(min(found)), float(first), "1"),
        Row(f"{name}/up to", stated, float(last), "1"),
    ]


def placement_rows(study: Study[Settings], context: Context, assumed: list[str]) -> list[Row]:
    settings = study.settings.placements
    rows = []
    for operation in settings.collectives:
        for each in settings.ranks_per_node:
            time_s = seconds(study, context, assumed, operation, settings.ranks, each)
            name = f"placement/{operation.collective}/{operation.bytes}/{each}"
            rows.append(Row(name, None, time_s, "s"))
    return rows


def placement_section(study: Study[Settings], result: Result) -> Section:
    settings = study.settings.placements
    times = {row.id: row.ours for row in result.of("placement/")}
    lines = [
        [
            f"{one.collective} {units.capacity(one.bytes)} ({one.algorithm})",
            *(
                units.seconds(times[f"placement/{one.collective}/{one.bytes}/{each}"])
                for each in settings.ranks_per_node
            ),
        ]
        for one in settings.collectives
    ]
    columns = ["operation", *(f"{each} a node" for each in settings.ranks_per_node)]
    words = [
        f"{settings.ranks} processes, packed into nodes or spread over them; their own links then are theirs."
    ]
    return Section("By placement", words, [], columns, lines)


def summary(study: Study[Settings], result: Result) -> list[str]:
    lines = []
    for row in result.of("crossover/"):
        _, collective, size, which, end = row.id.split("/")
        lines.append(
            f"{collective} of {units.capacity(int(size))}: {which} {end} {row.ours:g} processes of those replayed; published {row.published:g}."
        )
    return lines
