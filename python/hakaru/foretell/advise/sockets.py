"""Which socket of a node each rank sits on, and what that changes: distances between ranks, and the memory bandwidth of a rank.

A socket has its share of the memory bandwidth that all cores of a node reach together. Of k ranks on the fullest of S sockets, each gets

    min(B(busy cores) / ranks, B(all cores) / (S k))
"""

from dataclasses import dataclass

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay import compute
from hakaru.foretell.replay.documents.network import Network
from hakaru.foretell.replay.documents.options import Options
from hakaru.foretell.replay.levels import Told, levels_of
from hakaru.foretell.replay.placement import Placement

BINDINGS = ("compact", "scatter")  # ranks fill a socket, then the next; every socket has as many ranks


@dataclass(frozen=True)
class Sockets:
    """Of one node."""

    count: int
    cores: int  # of all of them

    @classmethod
    def of(cls, machine: Machine) -> "Sockets | None":
        """None where a node has one socket, or the machine does not say how many."""
        count, cores = machine.number("processor.sockets"), machine.number("processor.cores")
        if count is None or cores is None or count < 2 or cores % count:
            return None
        return cls(int(count), int(cores))

    @property
    def each(self) -> int:
        return self.cores // self.count

    def bindings(self, ranks: int, threads: int) -> tuple[str, ...]:
        """Of ``ranks`` of a node with ``threads`` each: compact, and scatter where it is something else and can be."""
        idle = ranks * threads < self.cores
        even = ranks % self.count == 0 and ranks // self.count * threads <= self.each
        return BINDINGS if idle and even else BINDINGS[:1]

    def on_fullest(self, ranks: int, threads: int, binding: str) -> float:
        """Ranks on the socket that has most; a rank may sit on two."""
        if binding == BINDINGS[1]:
            return ranks / self.count
        return min(float(ranks), self.each / threads)

    def bandwidth_share(self, machine: Machine, ranks: int, threads: int, binding: str) -> float:
        """Memory bandwidth of a rank over what it would get if sockets shared theirs; at most 1."""
        told = Told()
        try:
            free = compute.rates(machine, Placement(ranks, ranks, None, threads, self.cores), ranks, told)
            whole = compute.rates(
                machine, Placement(self.cores, self.each, None, 1, self.cores), self.cores, told
            )
        except UserError:
            return 1.0
        own = whole.bytes_per_s * self.each / self.on_fullest(ranks, threads, binding)
        return min(own / free.bytes_per_s, 1.0)


def on_sockets(
    network: Network, machine: Machine, sockets: Sockets, ranks: int, binding: str, told: Told
) -> Network:
    """The network whose nodes have ``ranks`` each on their sockets."""
    if binding != BINDINGS[1] or network.placement is None:
        return network
    each = ranks // sockets.count
    places = msgspec.structs.replace(network.placement, cores_per_socket=each, sockets_per_node=sockets.count)
    wanted = ["socket", *(["core"] if each > 1 else [])]
    levels = levels_of(machine, wanted, told) | network.levels
    return msgspec.structs.replace(network, placement=places, levels=levels)


def with_memory_share(options: Options, share: float, told: Told) -> Options:
    """The options with the bandwidth of a rank, when its socket has no more."""
    if share >= 1.0 or options.roofline is None:
        return options
    told.assume("a socket has its share of the memory bandwidth of its node, and no rank uses another's")
    bandwidth = options.roofline.memory_bandwidth * share
    roofline = msgspec.structs.replace(options.roofline, memory_bandwidth=bandwidth)
    return msgspec.structs.replace(options, roofline=roofline)
