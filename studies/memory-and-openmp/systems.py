"""What the publication's tables say of a system, and our probes of this machine, in one form."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hakaru.facts.machines import Machine
from hakaru.studies.study import Study

from .settings import Settings

CONSTRUCTS = {"parallel_do": "parallel_for", "do": "for", "barrier": "barrier", "reduction": "reduction"}
TRIAD = "triad"
CHIPS = {"Opteron Barcelona": 4}  # of a node, where another number is printed
US, NS, GB = 1e-6, 1e-9, 1e9


@dataclass(frozen=True)
class Overheads:
    """Seconds by construct (as our machine files call it) of so many threads."""

    name: str
    threads: int
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class Bandwidth:
    """B/s of a part of a machine alone (a chip, a core), and of ``parts`` at once."""

    name: str
    parts: int
    one: float
    all: float


@dataclass(frozen=True)
class Here:
    """What the probes told of this machine; empty where they told nothing."""

    overheads: tuple[Overheads, ...] = ()
    bandwidth: Mapping[tuple[str, int], float] = field(default_factory=dict)  # B/s by kernel and cores
    latency: Mapping[str, float] = field(default_factory=dict)  # s by level

    @property
    def scaling(self) -> Bandwidth | None:
        """One core, and all."""
        own = {cores: value for (kernel, cores), value in self.bandwidth.items() if kernel == TRIAD}
        if 1 not in own or len(own) < 2:
            return None
        return Bandwidth("here", max(own), own[1], own[max(own)])


def here(machine: Machine | None) -> Here:
    if machine is None:
        return Here()
    overheads: dict[int, dict[str, float]] = {}
    for construct in CONSTRUCTS.values():
        for fact in machine.facts(f"threads.{construct}"):
            overheads.setdefault(fact.keys["threads"], {})[construct] = fact.value
    bandwidth = {
        (fact.keys["kernel"], fact.keys["cores"]): fact.value for fact in machine.facts("memory.bandwidth")
    }
    latency = {level.name: level.latency for level in machine.levels if level.latency}
    threads = tuple(Overheads("here", count, own) for count, own in sorted(overheads.items()))
    return Here(threads, bandwidth, latency)


def published_overheads(study: Study[Settings]) -> list[Overheads]:
    rows = study.published.table("overheads").rows
    return [
        Overheads(
            ", ".join([str(row["system"]), *([str(row["compiler"])] if "compiler" in row else [])]),
            row["threads"],
            {ours: US * row[theirs] for theirs, ours in CONSTRUCTS.items()},
        )
        for row in rows
    ]


def published_bandwidths(study: Study[Settings]) -> list[Bandwidth]:
    """Of nodes by chips, and of PCs by cores: there the upper end of the printed range."""
    found = [
        Bandwidth(
            str(row["system"]),
            CHIPS.get(str(row["system"]), row["chips_per_node"]),
            GB * row["chip_bandwidth"],
            GB * row["node_bandwidth"],
        )
        for row in study.published.table("node-and-chip").rows
    ]
    pcs: dict[str, dict[int, float]] = {}
    for row in study.published.table("quadcore-pcs").rows:
        pcs.setdefault(str(row["machine"]), {})[row["cores_used"]] = GB * row["high"]
    return found + [Bandwidth(name, max(own), own[1], own[max(own)]) for name, own in pcs.items()]


def published_latency(study: Study[Settings]) -> dict[str, float]:
    """Seconds by level, as our machine files call it."""
    names = {"L1 cache": "L1", "L2 cache": "L2", "main memory": "memory"}
    rows = study.published.table("clovertown").rows
    return {names[str(row["level"])]: NS * row["latency"] for row in rows}
