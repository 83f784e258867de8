"""The network of a machine as the replay engine reads it (docs/replay.md): levels, placement, links, collectives, files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hakaru.errors import UserError
from hakaru.explain import facts
from hakaru.machines.facts import find
from hakaru.replay.levels import Told, entries, levels_document
from hakaru.replay.placement import Placement, placement
from hakaru.replay.settable import LEVELS

MODELS = ("hierarchy", "loggp", "torus", "fat_tree", "crossbar")
MEASURED = "measured"
HARDWARE = "hardware:"
REDUCTION_TRAFFIC = 3.0  # bytes moved for each byte reduced: two operands read, one result written


@dataclass(frozen=True)
class NetworkPlan:
    """The engine's document, what it rests on, and where ranks sit."""

    model: str
    document: dict[str, Any]
    told: Told
    placement: Placement


def network_plan(
    machine: dict[str, Any],
    model: str,
    ranks: int | None,
    threads: int,
    ranks_per_node: int | None,
    collectives: Mapping[str, str],
) -> NetworkPlan:
    """The plan for so many ranks; with None for as many levels as the machine tells. Raises UserError naming what is missing."""
    if model not in MODELS:
        raise UserError(
            f"there is no network model '{model}'", f"known are: {', '.join(MODELS)}", "choose one of them"
        )
    told = Told()
    placed = placement(machine, threads, ranks_per_node, told)
    levels = placed.levels(ranks)
    if ranks is None:
        levels = [level for level in levels if level in ("core", "socket") or _between_nodes(machine)]
    if model == "loggp":
        levels = levels[-1:] or ["core"]
    document: dict[str, Any] = {"model": model, "levels": levels_document(machine, levels or ["core"], told)}
    if model != "loggp":
        document |= _placement_document(placed)
        document |= _links(machine, model, told)
    document["reduction_s_per_byte"] = _reduction_s_per_byte(machine, told)
    if files := _file_system(machine, told):
        document["file_system"] = files
    if prices := {name: _collective(machine, name, way, levels, told) for name, way in collectives.items()}:
        document["collectives"] = prices
    return NetworkPlan(model, document, told, placed)


def _between_nodes(machine: dict[str, Any]) -> bool:
    return any(machine.get("network", {}).get(level) for level in ("node", "switch"))


def _placement_document(placed: Placement) -> dict[str, Any]:
    return {"ranks_per_node": placed.ranks_per_node}


def _links(machine: dict[str, Any], model: str, told: Told) -> dict[str, Any]:
    return {}


def _reduction_s_per_byte(machine: dict[str, Any], told: Told) -> float:
    """Time of combining a byte of two vectors: the memory traffic it causes over the bandwidth of one core."""
    found = facts.bandwidth(machine, 1, write_allocate=False)
    if found is None:
        told.assume("combining numbers in a reduction takes no time (no fact memory.bandwidth)")
        return 0.0
    told.fact(
        "memory.bandwidth",
        {"value": found.value, "unit": "B/s", "source": found.source, "cores": found.cores},
    )
    told.assume("a reduction moves three bytes of memory for each byte it combines")
    return REDUCTION_TRAFFIC * found.cores / found.value


def _file_system(machine: dict[str, Any], told: Told) -> dict[str, Any] | None:
    """Rates of the shared file system, else of the local one; the smaller of reading and writing, since one rate serves both."""
    for place in ("shared", "local"):
        rates = [find(machine, f"storage.{place}.{name}") for name in ("write_bandwidth", "read_bandwidth")]
        known = [rate for rate in rates if rate]
        if not known:
            continue
        slower = min(known, key=lambda entry: entry["value"])
        told.fact(f"storage.{place}", slower)
        operation = find(machine, f"storage.{place}.operation")
        if operation:
            told.fact(f"storage.{place}.operation", operation)
        return {"operation_s": operation["value"] if operation else 0.0, "total_bytes_per_s": slower["value"]}
    return None


def _collective(
    machine: dict[str, Any], name: str, way: str, levels: list[str], told: Told
) -> dict[str, Any]:
    """An algorithm's name, ``measured`` (the machine's own table) or ``hardware:2us``."""
    if way.startswith(HARDWARE):
        from hakaru.replay.settable import parsed

        return {
            "algorithm": "hardware",
            "hardware_s": parsed(machine, "network.node.latency", way.removeprefix(HARDWARE)),
        }
    if way != MEASURED:
        return {"algorithm": way}
    for level in reversed(levels or list(LEVELS)):
        if table := entries(machine, level, name):
            for entry in table:
                told.fact(f"network.{level}.{name}", entry)
            return {
                "table": [
                    {"ranks": e["ranks"], "bytes": e.get("bytes", 0), "value_s": e["value"]} for e in table
                ]
            }
    raise UserError(
        f"the machine '{machine['name']}' has no measured times of {name}",
        f"they would be facts network.{(levels or ['node'])[-1]}.{name}",
        "name an algorithm instead",
    )
