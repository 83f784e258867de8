"""Facts that a person may set for a replay: their names and units, setting and scaling them in a machine tree."""

import copy
import difflib
import re
from dataclasses import dataclass
from typing import Any

from hakaru.base.errors import UserError
from hakaru.facts.machines.facts import is_fact, walk
from hakaru.foretell.replay import quantities

LEVELS = ("core", "socket", "node", "switch")
MESSAGE_UNITS = {
    "latency": "s",
    "latency_without_overheads": "s",
    "send_overhead": "s",
    "receive_overhead": "s",
    "gap": "s",
    "gap_per_byte": "s/B",
    "bandwidth": "B/s",
    "eager_limit": "B",
}
TOPOLOGY_UNITS = {
    "radix": "1",
    "nodes_per_switch": "1",
    "link_bandwidth": "B/s",
    "hop_latency": "s",
    "dimensions": "text",
    "axes": "1",
}
OTHER_UNITS = {
    "processor.cores": "1",
    "processor.sockets": "1",
    "processor.nodes": "1",
    "storage.shared.operation": "s",
    "storage.shared.write_bandwidth": "B/s",
    "storage.shared.read_bandwidth": "B/s",
}
# Not facts of a machine, but of a replay: set, swept and improved like facts.
COMPUTE = "compute.factor"
NOISE = "noise.mean"
REPLAY_UNITS = {COMPUTE: "1", NOISE: "s"}

_FACTOR = re.compile(r"\s*([0-9.eE+-]+)\s*x\s*$")


def names(machine: dict[str, Any]) -> dict[str, str]:
    """Path -> unit of everything that can be set: what a network model reads, and each number that the machine has."""
    known = {f"network.{level}.{name}": unit for level in LEVELS for name, unit in MESSAGE_UNITS.items()}
    known |= {f"network.topology.{name}": unit for name, unit in TOPOLOGY_UNITS.items()}
    known |= OTHER_UNITS | REPLAY_UNITS
    for path, entry in walk(machine):
        if isinstance(entry["value"], int | float) and "[" not in path:
            known.setdefault(path, entry.get("unit", "1"))
    return known


def unit_of(machine: dict[str, Any], path: str) -> str:
    """Unit of a settable fact. Raises UserError naming the nearest ones."""
    known = names(machine)
    if path in known:
        return known[path]
    near = difflib.get_close_matches(path, known, 3, 0.5)
    raise UserError(
        f"there is no fact '{path}' to set",
        f"it is neither in the machine '{machine['name']}' nor read by a network model",
        f"did you mean {' or '.join(near)}?" if near else f"for example {next(iter(known))}",
    )


def parsed(machine: dict[str, Any], path: str, text: str) -> float | str:
    """The value a person wrote for a fact, in its SI unit. Raises UserError for another unit and for what cannot be."""
    unit = unit_of(machine, path)
    if unit == "text":
        return text.strip()
    try:
        value = quantities.parse(text, unit)
        if value < 0:
            raise ValueError(f"'{text}' is negative")
        if value == 0 and unit == "B/s":
            raise ValueError("nothing arrives at a rate of zero")
    except ValueError as error:
        example = {"s": "2us", "B/s": "10Gbit/s", "s/B": "0.1ns/B or 10Gbit/s", "B": "64KiB", "1": "2"}.get(
            unit, f"1{unit}"
        )
        raise UserError(f"{path} cannot be set", str(error), f"write it like {example}") from None
    return value


def assignment(word: str) -> tuple[str, str]:
    """('network.node.latency', '2us') of ``network.node.latency=2us``. Raises UserError for any other form."""
    path, equals, text = word.partition("=")
    if not equals or not path.strip() or not text.strip():
        raise UserError(
            f"'{word}' is not understood",
            "a fact is set as NAME=VALUE",
            "for example network.node.latency=2us",
        )
    return path.strip(), text.strip()


def with_settings(machine: dict[str, Any], words: list[str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A copy of the machine with facts set as people wrote (``NAME=VALUE``, ``NAME=0.5x`` multiplies), and what was set."""
    changed, told = copy.deepcopy(machine), []
    for word in words:
        path, text = assignment(word)
        unit = unit_of(changed, path)
        if (factor := factor_of(path, text)) is not None:
            told.append({"fact": path, "factor": factor, "unit": unit})
            scale(changed, path, factor)
        else:
            told.append({"fact": path, "value": parsed(changed, path, text), "unit": unit})
            put(changed, path, told[-1]["value"])
    return changed, told


def factor_of(path: str, text: str) -> float | None:
    """0.5 of ``0.5x``; None of what is no factor. Raises UserError for a factor that is not above zero."""
    found = _FACTOR.match(text)
    return _positive(path, found[1]) if found else None


def _positive(path: str, text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = 0.0
    if not 0.0 < factor < float("inf"):
        raise UserError(
            f"{path} cannot be multiplied by '{text}'",
            "a factor above zero is needed",
            "write for example 0.5x",
        )
    return factor


def _parent(machine: dict[str, Any], path: str, create: bool) -> tuple[dict[str, Any], str] | None:
    *folders, name = path.split(".")
    node = machine
    for folder in folders:
        if not isinstance(node.get(folder), dict):
            if not create:
                return None
            node[folder] = {}
        node = node[folder]
    return node, name


def _stored(path: str) -> tuple[str, bool]:
    """Where a name is kept in the tree, and whether as the inverse: a bandwidth of messages is kept as its gap per byte."""
    parts = path.split(".")
    if len(parts) == 3 and parts[0] == "network" and parts[1] in LEVELS and parts[2] == "bandwidth":
        return f"network.{parts[1]}.gap_per_byte", True
    return path, False


def _scale_link(machine: dict[str, Any], where: str, factor: float) -> None:
    """A network of another bandwidth has other links too: what all ranks of a node share keeps its ratio to one stream."""
    found = _parent(machine, "network.topology.link_bandwidth", create=False)
    if found and is_fact(found[0].get(found[1])) and where.split(".")[1] in ("node", "switch"):
        found[0][found[1]] = _times(found[0][found[1]], factor)


@dataclass(frozen=True)
class Measured:
    """The network's facts before any was set. No dict, so that nobody takes it for a part of the tree."""

    network: dict[str, Any]


_MEASURED = "as measured"


def as_measured(machine: dict[str, Any]) -> dict[str, Any]:
    """The machine's ``network`` as it was before facts were set for a replay."""
    kept = machine.get(_MEASURED)
    return kept.network if isinstance(kept, Measured) else machine.get("network", {})


def _keep_measured(machine: dict[str, Any], path: str) -> None:
    if path.startswith("network.") and _MEASURED not in machine:
        machine[_MEASURED] = Measured(copy.deepcopy(machine.get("network", {})))


def put(machine: dict[str, Any], path: str, value: float | str) -> None:
    """Sets a fact in place, for all sizes and counts when there were several."""
    where, inverse = _stored(path)
    _keep_measured(machine, where)
    if inverse and (before := current(machine, path)):
        _scale_link(machine, where, value / before)
    parent, name = _parent(machine, where, create=True)
    entry: dict[str, Any] = {"value": 1.0 / value if inverse else value, "source": "set for this replay"}
    if not isinstance(value, str):
        entry["unit"] = "s/B" if inverse else names(machine).get(where, "1")
    parent[name] = entry
    if name == "latency":
        parent.pop("latency_without_overheads", None)


def scale(machine: dict[str, Any], path: str, factor: float) -> None:
    """Multiplies a fact in place; each of them when there are several. Raises UserError when the machine has none."""
    where, inverse = _stored(path)
    found = _parent(machine, where, create=False)
    node = found[0].get(found[1]) if found else None
    entries = [node] if is_fact(node) else node if isinstance(node, list) else []
    if where in REPLAY_UNITS and not entries:
        put(machine, where, factor)
        return
    if not entries:
        raise UserError(
            f"{path} cannot be multiplied",
            f"the machine '{machine['name']}' has no such fact",
            "set it to a value instead",
        )
    _keep_measured(machine, where)
    if inverse:
        _scale_link(machine, where, factor)
    times = 1.0 / factor if inverse else factor
    scaled = [_times(entry, times) for entry in entries]
    found[0][found[1]] = scaled[0] if is_fact(node) else scaled
    if found[1] == "latency":
        other = found[0].get("latency_without_overheads")
        if other is not None:
            found[0]["latency_without_overheads"] = _times(other, times)


def _times(entry: dict[str, Any], factor: float) -> dict[str, Any]:
    numbers = {key: entry[key] * factor for key in ("value", "low", "high") if key in entry}
    return {**entry, **numbers, "source": f"{entry['source']}, times {factor:g}"}


def current(machine: dict[str, Any], path: str) -> float | None:
    """The value of a fact in the tree (when there are several the first, of a bandwidth the one of long messages), or None."""
    where, inverse = _stored(path)
    found = _parent(machine, where, create=False)
    node = found[0].get(found[1]) if found else None
    entry = node[-1 if inverse else 0] if isinstance(node, list) and node else node
    if not is_fact(entry) or not isinstance(entry["value"], int | float):
        return None
    return 1.0 / entry["value"] if inverse and entry["value"] else float(entry["value"])
