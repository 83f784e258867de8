"""Where ranks sit: ranks fill the cores of a node, socket by socket, then the next node."""

from dataclasses import dataclass

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.levels import Told


@dataclass(frozen=True)
class Placement:
    """``nodes_per_switch`` is None where the machine does not say it: all nodes are then on one switch."""

    ranks_per_node: int
    ranks_per_socket: int
    nodes_per_switch: int | None
    threads: int
    cores: int
    chosen: bool = False  # the person said how many ranks a node gets

    def levels(self, ranks: int) -> list[str]:
        """Distances that occur among so many ranks."""
        nodes = self.nodes(ranks)
        found = []
        if min(ranks, self.ranks_per_socket) > 1:
            found.append("core")
        if min(ranks, self.ranks_per_node) > self.ranks_per_socket:
            found.append("socket")
        if nodes > 1 and self.nodes_per_switch != 1:
            found.append("node")
        if self.nodes_per_switch is not None and nodes > self.nodes_per_switch:
            found.append("switch")
        return found

    def nodes(self, ranks: int) -> int:
        return -(-ranks // self.ranks_per_node)


def shared_node(machine: Machine, placed: Placement, ranks: int) -> str | None:
    """What must be said loudly: a machine of many nodes, and all ranks on one, which nobody asked for."""
    nodes = machine.find("processor.nodes")
    many = nodes.value > 1 if nodes else "node" in machine.parts("network")
    if placed.chosen or ranks < 2 or not many or placed.nodes(ranks) > 1:
        return None
    return (
        f"all {ranks} ranks share one node of {machine.name}, and no message crosses its network; "
        f"--ranks-per-node 1 gives each a node"
    )


def placement(machine: Machine, threads: int, ranks_per_node: int | None, told: Told) -> Placement:
    """Placement from processor.cores and processor.sockets. Raises UserError when the cores are not known and not needed to be."""
    cores = _count(machine, "processor.cores", told)
    if cores is None and ranks_per_node is None:
        raise UserError(
            f"the machine '{machine.name}' does not say processor.cores",
            "it decides how many ranks share a node",
            "give --ranks-per-node or --set processor.cores=N",
        )
    wanted = ranks_per_node or max(cores // threads, 1)
    if cores and wanted * threads > cores:
        told.assume(
            f"{wanted * threads} threads on the {cores} cores of a node do not slow each other (ranks per node and threads are as asked for)"
        )
    sockets = _count(machine, "processor.sockets", told) or 1
    per_socket = max(min(wanted, (cores // sockets) // threads if cores else wanted), 1)
    return Placement(
        wanted,
        per_socket,
        _nodes_per_switch(machine, told),
        threads,
        cores or wanted * threads,
        ranks_per_node is not None,
    )


def _count(machine: Machine, path: str, told: Told) -> int | None:
    entry = machine.find(path)
    if entry is None:
        return None
    if entry.value < 1 or entry.value != int(entry.value):
        raise UserError(
            f"{path} is {entry.value:g}", "a whole number of at least 1 is needed", "set it with --set"
        )
    told.fact(path, entry)
    return int(entry.value)


def _nodes_per_switch(machine: Machine, told: Told) -> int | None:
    stated = _count(machine, "network.topology.nodes_per_switch", told)
    if stated is not None:
        return stated
    if not machine.has("network.switch"):
        return None
    radix = _count(machine, "network.topology.radix", told)
    if radix is not None:
        told.assume(f"half of the {radix} ports of a switch go to nodes")
        return max(radix // 2, 1)
    told.assume("every message between nodes crosses switches (no fact network.topology.nodes_per_switch)")
    return 1
