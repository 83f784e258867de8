"""Collectives and single messages on a machine's facts, by replay of schedules of one operation."""

from functools import partial
from typing import Any

from hakaru.facts.machines import Machine
from hakaru.foretell.replay.by_node import with_parts
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.network import network_plan
from hakaru.foretell.replay.what_if import Progress, run_all
from hakaru.studies.analyses import Context
from hakaru.studies.published import Cells
from hakaru.studies.replays import replay_made
from hakaru.studies.result import Row
from hakaru.studies.study import Study

from .known import machine_of
from .settings import Collective, Messages, Settings

NODES = {"other node": 1, "two nodes on the same switch": 1, "two nodes on the different switches": 1}


def rows(study: Study[Settings], context: Context, assumed: list[str]) -> list[Row]:
    found = collective_rows(study, context, assumed)
    for entry in study.settings.messages:
        found += message_rows(study, context, entry)
    return found


def collective_rows(study: Study[Settings], context: Context, assumed: list[str]) -> list[Row]:
    """Replayed on all cores, told in their order. Ctrl-C raises KeyboardInterrupt; what was replayed is kept."""
    asked: list[tuple[Collective, Cells]] = []
    for entry in study.settings.collectives:
        table = study.published.table(entry.table)
        context.say(f"{entry.table}: {len(table.rows)} collectives")
        asked += [(entry, cells) for cells in table.rows if cells["bytes"]]
    notes: list[list[str]] = [[] for _ in asked]
    finished = run_all(
        [
            partial(collective_s, context, machine_of(entry.machine), entry, cells, own)
            for (entry, cells), own in zip(asked, notes, strict=True)
        ],
        None,
        Progress(),
    )
    if not finished.complete:
        raise KeyboardInterrupt
    for own in notes:
        assumed += own
    return [
        Row(f"collectives/{entry.table}/{cells['bytes']}/{cells['ranks']}", cells["value"], time_s, "s")
        for (entry, cells), time_s in zip(asked, finished.times_s, strict=True)
        if time_s is not None
    ]


def collective_s(
    context: Context, machine: Machine, entry: Collective, cells: Cells, assumed: list[str]
) -> float | None:
    """None where the adapters add and the machine says nothing of what that takes."""
    size, ranks, each, ways = cells["bytes"], cells["ranks"], entry.ranks_per_node, {}
    if size <= entry.offloaded_bytes:
        if not machine.facts(f"network.node.{entry.collective}"):
            return None
        ranks, each, ways = -(-ranks // each), 1, {entry.collective: "measured"}
        size = min(fact.keys["bytes"] for fact in machine.facts(f"network.node.{entry.collective}"))
    plan = network_plan(machine, "hierarchy", ranks, 1, each, ways)
    plan = with_parts(plan, machine, ranks, ways, entry.mpi, context.engine)
    assumed += plan.told.assumed
    root = {"root": 0} if entry.collective == "reduce" else {}
    streams = [stream([0, ranks - 1, 1], [{"do": entry.collective, "bytes": size} | root])]
    return seconds(context, plan.network, ranks, streams, entry.mpi)


def message_rows(study: Study[Settings], context: Context, entry: Messages) -> list[Row]:
    """Half of a round trip: one message from rank 0 to rank 1."""
    machine, found = machine_of(entry.machine), []
    for cells in study.published.table(entry.table).rows:
        place = cells.get("input", "other node")
        if place in entry.given:
            continue
        between = place in NODES
        plan = network_plan(machine, "hierarchy", 2, 1, 1 if between else 2)
        send = {"do": "send", "peer": 1, "tag": 0, "bytes": cells["bytes"]}
        receive = {"do": "receive", "peer": 0, "tag": 0, "bytes": cells["bytes"]}
        streams = [stream([0, 0, 1], [send]), stream([1, 1, 1], [receive])]
        time_s = seconds(context, plan.network, 2, streams, "openmpi")
        found.append(Row(f"messages/{entry.table}/{place}/{cells['bytes']}", cells["value"], time_s, "s"))
    return found


def stream(ranks: list[int], operations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"ranks": [ranks], "operations": operations}


def seconds(context: Context, network: Network, ranks: int, streams: list[dict[str, Any]], mpi: str) -> float:
    document = {
        "schema": "hakaru/schedule/1",
        "program": "",
        "description": f"one operation on {ranks} ranks",
        "ranks": ranks,
        "phases": [],
        "works": [],
        "lists": [],
        "communicators": [{"name": "world"}],
        "streams": streams,
    }
    options = Options(sharing="first_come", decision=mpi)
    return replay_made(context.engine, document, network, options).makespan_s
