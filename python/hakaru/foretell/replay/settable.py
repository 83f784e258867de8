"""Facts that a person may set for a replay: their names and units, setting and scaling them in a machine tree."""

import difflib
import re

from hakaru.base import quantities
from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.facts.machines.machine import LEVELS
from hakaru.foretell.replay.documents.answer import Setting

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

_LINK = "network.topology.link_bandwidth"
_FACTOR = re.compile(r"\s*([0-9.eE+-]+)\s*x\s*$")


def names(machine: Machine) -> dict[str, str]:
    """Path -> unit of everything that can be set: what a network model reads, and each number that the machine has."""
    known = {f"network.{level}.{name}": unit for level in LEVELS for name, unit in MESSAGE_UNITS.items()}
    known |= {f"network.topology.{name}": unit for name, unit in TOPOLOGY_UNITS.items()}
    known |= OTHER_UNITS | REPLAY_UNITS
    for path, fact in machine.walk():
        if fact.is_number and "[" not in path:
            known.setdefault(path, fact.unit or "1")
    return known


def unit_of(machine: Machine, path: str) -> str:
    """Unit of a settable fact. Raises UserError naming the nearest ones."""
    known = names(machine)
    if path in known:
        return known[path]
    near = difflib.get_close_matches(path, known, 3, 0.5)
    raise UserError(
        f"there is no fact '{path}' to set",
        f"it is neither in the machine '{machine.name}' nor read by a network model",
        f"did you mean {' or '.join(near)}?" if near else f"for example {next(iter(known))}",
    )


def parsed(machine: Machine, path: str, text: str) -> float | str:
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


def with_settings(machine: Machine, words: list[str]) -> tuple[Machine, list[Setting]]:
    """The machine with facts set as people wrote (``NAME=VALUE``, ``NAME=0.5x`` multiplies), and what was set."""
    changed, told = machine, []
    for word in words:
        path, text = assignment(word)
        unit = unit_of(changed, path)
        if (factor := factor_of(path, text)) is not None:
            told.append(Setting(fact=path, factor=factor, unit=unit))
            changed = scale(changed, path, factor)
        else:
            value = parsed(changed, path, text)
            told.append(Setting(fact=path, value=value, unit=unit))
            changed = put(changed, path, value)
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


def _stored(path: str) -> tuple[str, bool]:
    """Where a name is kept in the tree, and whether as the inverse: a bandwidth of messages is kept as its gap per byte."""
    parts = path.split(".")
    if len(parts) == 3 and parts[0] == "network" and parts[1] in LEVELS and parts[2] == "bandwidth":
        return f"network.{parts[1]}.gap_per_byte", True
    return path, False


def _with_links(machine: Machine, where: str, factor: float) -> Machine:
    """A network of another bandwidth has other links too: what all ranks of a node share keeps its ratio to one stream."""
    link = machine.value(*_LINK.split("."))
    if link is None or where.split(".")[1] not in ("node", "switch"):
        return machine
    return machine.with_facts(_LINK, link.times(factor))


def put(machine: Machine, path: str, value: float | str) -> Machine:
    """The machine with a fact set, for all sizes and counts when there were several."""
    where, inverse = _stored(path)
    changed = machine.about_to_be_set(where)
    if inverse and (before := current(machine, path)):
        changed = _with_links(changed, where, value / before)
    unit = None if isinstance(value, str) else "s/B" if inverse else names(machine).get(where, "1")
    made = Fact(value=1.0 / value if inverse else value, unit=unit, source="set for this replay")
    changed = changed.with_facts(where, made)
    return changed.with_facts(bare, None) if (bare := _bare(where)) else changed


def _bare(where: str) -> str | None:
    """The other fact that a latency is kept as."""
    return f"{where}_without_overheads" if where.endswith(".latency") else None


def scale(machine: Machine, path: str, factor: float) -> Machine:
    """The machine with a fact multiplied; each of them when there are several. Raises UserError when it has none."""
    where, inverse = _stored(path)
    if not machine.facts(where):
        if where in REPLAY_UNITS:
            return put(machine, where, factor)
        raise UserError(
            f"{path} cannot be multiplied",
            f"the machine '{machine.name}' has no such fact",
            "set it to a value instead",
        )
    changed = machine.about_to_be_set(where)
    if inverse:
        changed = _with_links(changed, where, factor)
    times = 1.0 / factor if inverse else factor
    for one in (where, _bare(where)):
        if one and changed.facts(one):
            changed = changed.with_each(one, lambda fact: fact.times(times))
    return changed


def current(machine: Machine, path: str) -> float | None:
    """The value of a fact (when there are several the first, of a bandwidth the one of long messages), or None."""
    where, inverse = _stored(path)
    facts = machine.facts(where)
    fact = facts[-1 if inverse else 0] if facts else None
    if fact is None or not fact.is_number:
        return None
    return 1.0 / fact.value if inverse and fact.value else float(fact.value)
