"""What messages share: the link of a node, its memory, and the links between switches, from facts ``network.topology``."""

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.copies import SELF
from hakaru.foretell.replay.documents.network import Level, Link, Network, Node, Places, Topology
from hakaru.foretell.replay.levels import Told
from hakaru.foretell.replay.placement import Placement

MESSAGE_TRAFFIC = 2.0  # bytes of memory moved for each byte of a message inside a node: one read, one written
TORUS_DIMENSIONS = 3
_PATH = "network.topology"


def in_hierarchy(
    network: Network, machine: Machine, placed: Placement, ranks: int, sharing: bool, told: Told
) -> Network:
    """The network with the placement of the model ``hierarchy``; with ``sharing`` also the rates of a node's link and memory."""
    places = Places(
        cores_per_socket=placed.ranks_per_socket,
        sockets_per_node=-(-placed.ranks_per_node // placed.ranks_per_socket),
        ranks_per_node=placed.ranks_per_node,
        nodes_per_switch=placed.nodes_per_switch,
    )
    shared = sharing and min(ranks, placed.ranks_per_node) > 1
    node = _shared_node(network, machine, placed, ranks, told) if shared else None
    return msgspec.structs.replace(network, placement=places, node=node)


def _shared_node(
    network: Network, machine: Machine, placed: Placement, ranks: int, told: Told
) -> Node | None:
    """Rates of a node's link and memory; None where there is nothing to share."""
    nic = memory = None
    if placed.nodes(ranks) > 1:
        nic = Link(rate_bytes_per_s=_link_rate(machine, network, told))
    alone = min(ranks, placed.ranks_per_node) == 2 and any(level.later for level in network.levels.values())
    if alone:
        told.assume("two ranks of a node share its memory as the probe's two did")
    elif found := machine.bandwidth(placed.cores, write_allocate=False):
        told.fact("memory.bandwidth", found.plain)
        told.assume("a message inside a node moves two bytes of memory for each of its own")
        memory = Link(rate_bytes_per_s=found.value / MESSAGE_TRAFFIC)
    return Node(nic=nic, memory=memory) if nic or memory else None


def with_links(network: Network, machine: Machine, placed: Placement, ranks: int, told: Told) -> Network:
    """The network with the ``topology`` of torus, fat_tree and crossbar. Raises UserError naming the fact that is missing."""
    model, nodes = network.model, placed.nodes(ranks)
    link = Link(rate_bytes_per_s=_link_rate(machine, network, told))
    hop = machine.find(f"{_PATH}.hop_latency")
    if hop:
        told.fact(f"{_PATH}.hop_latency", hop)
        network = _without_hops(network, 2.0 * hop.value)
    elif model != "crossbar":
        told.assume(f"more hops take no more time (no fact {_PATH}.hop_latency)")
    dimensions = _dimensions(machine, nodes, told) if model == "torus" else None
    down, up = _ports(machine, nodes, told) if model == "fat_tree" else (None, None)
    topology = Topology(
        link=link,
        ranks_per_node=placed.ranks_per_node,
        hop_latency_s=hop.value if hop else None,
        dimensions=dimensions,
        down=down,
        up=up,
    )
    return msgspec.structs.replace(network, topology=topology)


def _without_hops(network: Network, two_hops_s: float) -> Network:
    """A latency between nodes was measured through a switch: its two hops are counted by the topology."""

    def less(name: str, level: Level) -> Level:
        if name not in ("node", "switch"):
            return level
        return msgspec.structs.replace(level, latency_s=max(level.latency_s - two_hops_s, 0.0))

    levels = {name: less(name, level) for name, level in network.levels.items()}
    return msgspec.structs.replace(network, levels=levels)


def _link_rate(machine: Machine, network: Network, told: Told) -> float:
    entry = machine.find(f"{_PATH}.link_bandwidth")
    if entry:
        told.fact(f"{_PATH}.link_bandwidth", entry)
        return float(entry.value)
    outermost = [level for name, level in network.levels.items() if name != SELF][-1]
    per_byte = outermost.gap_per_byte[-1].value_s if outermost.gap_per_byte else 0.0
    if per_byte <= 0.0:
        raise _missing(machine, "link_bandwidth", "10Gbit/s")
    told.assume(f"a node's link carries what one stream of messages reaches (no fact {_PATH}.link_bandwidth)")
    return 1.0 / per_byte


def _ports(machine: Machine, nodes: int, told: Told) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Ports down and up of the fewest levels of non-blocking switches that hold the nodes: half of the ports go up, the top has none."""
    radix = machine.find(f"{_PATH}.radix")
    if not radix:
        raise _missing(machine, "radix", "36")
    told.fact(f"{_PATH}.radix", radix)
    half = int(radix.value) // 2
    if half < 1:
        raise UserError(
            f"{_PATH}.radix is {radix.value:g}", "a switch has two ports or more", "set it with --set"
        )
    down, up = [2 * half], []
    while _product(down) < nodes:
        if half == 1:
            raise UserError(
                f"a tree of switches with {radix.value:g} ports holds 2 nodes",
                f"{nodes} are needed",
                "set another radix",
            )
        down, up = [half, *down], [half, *up]
    return tuple(down), tuple(up)


def _dimensions(machine: Machine, nodes: int, told: Told) -> tuple[int, ...]:
    entry = machine.find(f"{_PATH}.dimensions")
    if not entry:
        axes = machine.find(f"{_PATH}.axes")
        if axes:
            told.fact(f"{_PATH}.axes", axes)
        found = near_cube(nodes) if not axes or axes.value == TORUS_DIMENSIONS else near_square(nodes)
        told.assume(f"the torus is {'x'.join(map(str, found))} (no fact {_PATH}.dimensions)")
        return tuple(found)
    told.fact(f"{_PATH}.dimensions", entry)
    words = str(entry.value).lower().split("x")
    if not all(word.strip().isdigit() and int(word) > 0 for word in words):
        raise UserError(f"{_PATH}.dimensions is '{entry.value}'", "lengths are needed", "write it like 8x8x4")
    return tuple(int(word) for word in words)


def near_cube(nodes: int) -> list[int]:
    """Three lengths as equal as may be whose product is at least ``nodes`` and wastes least."""
    best: tuple[int, int, list[int]] | None = None
    side = round(nodes ** (1.0 / TORUS_DIMENSIONS)) + 1
    for first in range(1, side + 1):
        for second in range(first, round((nodes / first) ** 0.5) + 2):
            third = max(-(-nodes // (first * second)), second)
            waste = first * second * third - nodes
            candidate = (waste, third - first, [third, second, first])
            best = min(best, candidate) if best else candidate
    return best[2]


def near_square(nodes: int) -> list[int]:
    """Two lengths as equal as may be whose product is at least ``nodes`` and wastes least."""
    pairs = [(-(-nodes // short), short) for short in range(1, round(nodes**0.5) + 1)]
    return list(min(pairs, key=lambda pair: (pair[0] * pair[1] - nodes, pair[0] - pair[1])))


def _product(numbers: list[int]) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def _missing(machine: Machine, name: str, example: str) -> UserError:
    return UserError(
        f"the machine '{machine.name}' does not say {_PATH}.{name}",
        "the network model needs it",
        f"set it with --set {_PATH}.{name}={example}, or choose --network hierarchy",
    )
