"""Ways to reduce over ranks, and what each costs on a machine: trees of hosts, trees of adapters, one pass through the switches.

A rank sits on each node. Every allreduce of the programs is of all ranks and of a few numbers, so that its price is a time.
"""

import math
import statistics
from dataclasses import dataclass

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.documents import Network
from hakaru.foretell.replay.documents.network import Price, at_size

from .settings import Beyond

PLAIN, EXACT, UNSTRUCK = "hosts", "hosts, exact", "hosts, not struck"
ADAPTERS, SWITCH = "adapters", "switch"
WAYS = (PLAIN, EXACT, UNSTRUCK, ADAPTERS, SWITCH)
STEPS = (PLAIN, EXACT)  # messages of the hosts
DOUBLE = 8


@dataclass(frozen=True)
class Line:
    """Time of a reduction by adapters over P nodes: start_s + stage_s log2 P."""

    start_s: float
    stage_s: float

    @classmethod
    def through(cls, times_s: dict[int, float]) -> "Line":
        """Least squares through {nodes: time}."""
        fitted = statistics.linear_regression([math.log2(nodes) for nodes in times_s], list(times_s.values()))
        return cls(fitted.intercept, fitted.slope)

    def at(self, nodes: int) -> float:
        return self.start_s + self.stage_s * math.log2(nodes)

    def worst(self, times_s: dict[int, float]) -> float:
        """The largest share of a time by which the line misses it."""
        return max(abs(self.at(nodes) / time_s - 1.0) for nodes, time_s in times_s.items())


def measured(machine: Machine, size: int) -> dict[int, float]:
    """Times of an allreduce of so many bytes by nodes, one rank each."""
    facts = machine.facts("network.node.allreduce", bytes=size)
    return {int(fact.keys["ranks"]): fact.value for fact in facts}


def adapters_of(machine: Machine, size: int) -> Line:
    """From measured times of so few bytes that the machine's adapters add them. Raises UserError where it has none."""
    times_s = measured(machine, size)
    if len(times_s) < 2:
        raise UserError(
            f"the machine '{machine.name}' has no times of an allreduce of {size} B",
            "the price of adapters is a line through them",
            "name another machine in study.toml",
        )
    return Line.through(times_s)


def depth(radix: int, nodes: int) -> int:
    """Stages of switches of a full fat tree: the least n with 2 (radix / 2)^n >= nodes."""
    stages, reached = 1, radix
    while reached < nodes:
        stages, reached = stages + 1, reached * (radix // 2)
    return stages


def stages(nodes: int) -> int:
    return math.ceil(math.log2(nodes))


@dataclass(frozen=True)
class Prices:
    """Of one allreduce; the wire's part of a byte is added for every stage."""

    latency_s: float  # of a message between nodes, overheads included
    byte_s: float
    addition_s: float  # of a byte
    adapters: Line
    radix: int
    switch_s: float  # of a switch: to take, to add and to pass on
    operand_bytes: float  # in the switch
    exact_bytes: int  # on the hosts

    def hosts_s(self, nodes: int, size: int = DOUBLE) -> float:
        """Recursive doubling where every rank starts at once and nothing disturbs: a message and an addition a stage."""
        return stages(nodes) * (self.latency_s + self.byte_s * (size - 1) + self.addition_s * size)

    def adapters_s(self, nodes: int) -> float:
        return self.adapters.at(nodes)

    def passes(self, nodes: int) -> int:
        """Of switches: up the tree and down."""
        return 2 * depth(self.radix, nodes) - 1

    def switch_of(self, nodes: int) -> float:
        """From host to host takes a message; it goes through all switches of its way."""
        wire_s = (self.operand_bytes - 1.0) * self.byte_s
        return self.latency_s + self.passes(nodes) * (self.switch_s + wire_s)

    def switch_as_good_as(self, time_s: float, nodes: int) -> float:
        """The time of a switch with which it takes as long."""
        return (time_s - self.latency_s) / self.passes(nodes) - (self.operand_bytes - 1.0) * self.byte_s

    def seconds(self, way: str, nodes: int) -> float:
        if way == EXACT:
            return self.hosts_s(nodes, self.exact_bytes)
        if way in (PLAIN, UNSTRUCK):
            return self.hosts_s(nodes)
        return self.adapters_s(nodes) if way == ADAPTERS else self.switch_of(nodes)


def computing_s(hosts_s: float, other_s: float, share: float) -> float:
    """The computing between two sums with which the other way spares that share: share = (hosts - other) / (computing + hosts)."""
    return (hosts_s - other_s) / share - hosts_s


def prices(machine: Machine, network: Network, adapter: Machine, asked: Beyond) -> Prices:
    level = next(one for name, one in network.levels.items() if name != "self")
    return Prices(
        latency_s=level.latency_s,
        byte_s=at_size(level.gap_per_byte, DOUBLE),
        addition_s=at_size(network.reduction_s_per_byte or 0.0, DOUBLE),
        adapters=adapters_of(adapter, asked.adapter_bytes),
        radix=int(machine.number("network.topology.radix") or 0),
        switch_s=asked.switch_s,
        operand_bytes=asked.operand_bits / 8.0,
        exact_bytes=asked.exact_bytes,
    )


def network_by(network: Network, way: str, nodes: int, costs: Prices) -> Network:
    """The network with its allreduce done this way. Where the hosts do not take the steps they wait for the network as long as the price
    of one double says; a detour that outlasts the wait holds them."""
    if way in STEPS:
        price = Price(algorithm="recursive_doubling")
    else:
        price = Price(algorithm="hardware", wire_s_per_byte=costs.seconds(way, nodes) / DOUBLE)
    return msgspec.structs.replace(network, collectives=network.collectives | {"allreduce": price})
