"""What a machine file does not say, and what cannot be told without it."""

from dataclasses import dataclass

from hakaru.facts.machines.machine import LEVELS, Machine

BETWEEN = ("node", "switch")
LATENCIES = ("latency", "latency_without_overheads", "pingpong")
RATES = ("gap_per_byte", "bandwidth_measured", "bandwidth_peak", "pingpong")


@dataclass(frozen=True)
class Missing:
    """None of ``paths`` is said; ``without`` is what a forecast does then."""

    paths: tuple[str, ...]
    without: str

    @property
    def name(self) -> str:
        return " or ".join(self.paths)


# Any one of the paths will do. Those of a roofline and of messages stop a forecast, the others are assumed and told.
ROOFLINE = (
    Missing(("processor.cores",), "ranks cannot be placed on nodes"),
    Missing(("compute.fma_peak", "compute.peak", "compute.dgemm"), "computing cannot be priced"),
    Missing(
        ("memory.bandwidth", "memory.bandwidth_write_allocate", "memory.bandwidth_peak"),
        "computing cannot be priced",
    ),
)


def _messages(levels: tuple[str, ...], where: str) -> tuple[Missing, ...]:
    latencies = tuple(f"network.{level}.{name}" for level in levels for name in LATENCIES)
    rates = tuple(f"network.{level}.{name}" for level in levels for name in RATES)
    return (
        Missing(latencies, f"messages {where} cannot be priced"),
        Missing(rates, f"long messages {where} cannot be priced"),
    )


NODES = _messages(BETWEEN, "between nodes")
INSIDE = _messages(LEVELS, "inside a node")  # those between nodes stand in for them
OTHERS = (
    Missing(
        ("memory.bandwidth", "memory.bandwidth_write_allocate"),
        "the peak of the memory stands for what programs reach",
    ),
    Missing(("memory.capacity",), "nobody sees whether a run fits"),
    Missing(
        ("network.core.latency", "network.core.pingpong"),
        "messages inside a node cost what those between nodes do",
    ),
    Missing(("network.node.eager_limit",), "no message waits for its receive"),
    Missing(
        ("network.topology.link_bandwidth",), "the ranks of a node share what one stream of messages reaches"
    ),
    Missing(("network.topology.kind",), "no link between switches is shared"),
    Missing(("processor.nodes",), "the machine has as many nodes as are asked for"),
    Missing(("noise.detour_share",), "nothing disturbs a program"),
    Missing(
        ("storage.shared.write_bandwidth", "storage.local.write_bandwidth"),
        "programs that use files cannot be replayed",
    ),
    Missing(("power",), "energy is not told"),
)


def missing(machine: Machine, kinds: tuple[Missing, ...] = ROOFLINE + NODES + OTHERS) -> list[Missing]:
    """Those of ``kinds`` of which the machine says none of the paths."""
    return [one for one in kinds if not any(machine.has(path) for path in one.paths)]


def obstacles(machine: Machine, nodes: int, ranks: int = 1) -> list[Missing]:
    """What keeps a program from being foretold on so many nodes and ranks of the machine."""
    messages = NODES if nodes > 1 else INSIDE if ranks > 1 else ()
    return missing(machine, ROOFLINE + messages)
