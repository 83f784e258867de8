"""The network of a machine as the replay engine reads it (docs/reference/replay-engine.md): levels, placement, links, collectives, files."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay import topology
from hakaru.foretell.replay.choices import MODELS
from hakaru.foretell.replay.copies import self_level
from hakaru.foretell.replay.documents.network import (
    FileSystem,
    MeasuredPoint,
    Network,
    Price,
)
from hakaru.foretell.replay.levels import Told, entries, levels_of
from hakaru.foretell.replay.neighbourhood import neighbour_exchange
from hakaru.foretell.replay.placement import Placement, placement
from hakaru.foretell.replay.put_get import collective_prices, put_get
from hakaru.foretell.replay.reductions import reduction_s_per_byte
from hakaru.foretell.replay.settable import LEVELS

MEASURED = "measured"
BY_NODE = "by_node"  # priced by by_node.py, which asks the engine
HARDWARE = "hardware:"


@dataclass(frozen=True)
class NetworkPlan:
    """The engine's network, what it rests on, and where ranks sit."""

    network: Network
    told: Told
    placement: Placement


def network_plan(
    machine: Machine,
    model: str,
    ranks: int,
    threads: int,
    ranks_per_node: int | None = None,
    collectives: Mapping[str, str] | None = None,
    sharing: bool = True,
) -> NetworkPlan:
    """The plan for so many ranks; ``sharing``: ranks of a node share its link and memory. Raises UserError naming what is missing."""
    if model not in MODELS:
        raise UserError(
            f"there is no network model '{model}'", f"known are: {', '.join(MODELS)}", "choose one of them"
        )
    told = Told()
    placed = placement(machine, threads, ranks_per_node, told)
    _tell_size(machine, placed.nodes(ranks), told)
    used = placed.levels(ranks) or ["core"]
    levels = levels_of(machine, used[-1:] if model == "loggp" else used, told)
    network = Network(model=model, levels=self_level(machine, told, levels.get("core")) | levels)
    if model == "hierarchy":
        network = topology.in_hierarchy(network, machine, placed, ranks, sharing, told)
    elif model != "loggp":
        network = topology.with_links(network, machine, placed, ranks, told)
    network = msgspec.structs.replace(
        network,
        reduction_s_per_byte=reduction_s_per_byte(machine, told),
        file_system=_file_system(machine, told),
        put_get=put_get(machine, told),
    )
    prices = _neighbourhood(machine, model, used, told)
    asked = {
        name: _collective(machine, name, way, used, told)
        for name, way in (collectives or {}).items()
        if way != BY_NODE
    }
    prices |= collective_prices(machine, told) | asked
    return NetworkPlan(msgspec.structs.replace(network, collectives=prices), told, placed)


def _tell_size(machine: Machine, nodes: int, told: Told) -> None:
    known = machine.find("processor.nodes")
    if known and nodes > known.value:
        told.fact("processor.nodes", known)
        told.assume(f"the machine grows from {known.value:g} to {nodes} nodes, and everything else stays")


def _file_system(machine: Machine, told: Told) -> FileSystem | None:
    """Rates of the shared file system, else of the local one; the smaller of reading and writing, since one rate serves both."""
    for place in ("shared", "local"):
        names = [f"storage.{place}.{name}" for name in ("write_bandwidth", "read_bandwidth")]
        known = {name: rate for name in names if (rate := machine.find(name))}
        if not known:
            continue
        slower = min(known, key=lambda name: known[name].value)
        told.fact(slower, known[slower])
        operation = machine.find(f"storage.{place}.operation")
        if operation:
            told.fact(f"storage.{place}.operation", operation)
        return FileSystem(
            operation_s=operation.value if operation else 0.0, total_bytes_per_s=known[slower].value
        )
    return None


def _neighbourhood(machine: Machine, model: str, levels: list[str], told: Told) -> dict[str, Price]:
    """Where several levels or shared links take part, messages say more."""
    if len(levels) > 1 or model not in ("hierarchy", "loggp"):
        return {}
    price = neighbour_exchange(machine, levels[-1], told)
    return {} if price is None else {"neighbour_exchange": price}


def measured_price(facts: Iterable[Fact]) -> Price:
    """By facts of ranks and bytes."""
    lines = (
        MeasuredPoint(ranks=fact.keys["ranks"], bytes=fact.keys.get("bytes", 0), value_s=fact.value)
        for fact in facts
    )
    return Price(table=tuple(lines))


def _collective(machine: Machine, name: str, way: str, levels: list[str], told: Told) -> Price:
    """An algorithm's name, ``measured`` (the machine's own table) or ``hardware:2us``."""
    if way.startswith(HARDWARE):
        from hakaru.foretell.replay.settable import parsed

        latency_s = parsed(machine, "network.node.latency", way.removeprefix(HARDWARE))
        return Price(algorithm="hardware", hardware_s=latency_s)
    if way != MEASURED:
        return Price(algorithm=way)
    for level in reversed(levels or list(LEVELS)):
        if table := entries(machine, level, name):
            for entry in table:
                told.fact(f"network.{level}.{name}", entry)
            return measured_price(table)
    raise UserError(
        f"the machine '{machine.name}' has no measured times of {name}",
        f"they would be facts network.{(levels or ['node'])[-1]}.{name}",
        "name an algorithm instead",
    )
