"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.foretell.replay.documents.network import Library
from hakaru.studies.kinds import Assumptions, Count, Counts, Links, Network


class Case(Strict):
    k_points: Count
    bands: Count


class System(Strict):
    """``cores`` and ``threads`` of a node, its ``processes``, and how many ``nodes`` by case; ``processor``: in the kernels' table."""

    name: str
    machine: str
    processor: str
    cores: Count
    threads: Count
    nodes: dict[str, Counts]
    processes: Count = 1


class Nodes(Strict):
    system: str
    nodes: Count


class Comparison(Strict):
    """How many times faster one is than the other; ``item``: where that is stated; ``read_as``: the number, where it is in words."""

    name: str
    case: str
    faster: Nodes
    slower: Nodes
    item: str | None = None
    read_as: float | None = None


class Reduction(Strict):
    """One sum over all processes; ``stated``: what the publication says of it."""

    bytes: Count
    systems: Annotated[tuple[str, ...], Meta(min_length=1)]
    nodes: Annotated[tuple[Annotated[int, Meta(ge=2)], ...], Meta(min_length=1)]
    stated: Words


class Weak(Strict):
    """``k_points`` of each node, the same on all numbers of ``nodes``."""

    k_points: Counts
    nodes: Counts


class Strong(Strict):
    """The case as published; ``threads`` of a node among which its speed is divided."""

    threads: Counts
    nodes: Counts


class Sums(Strict):
    """The sum of the density alone, by algorithm."""

    algorithms: Annotated[tuple[str, ...], Meta(min_length=1)]
    nodes: Counts


class Changes(Strict):
    """Factors on the ``latency`` and the time ``per_byte`` between nodes, and on the time of ``adding`` numbers."""

    latency: Annotated[tuple[Positive, ...], Meta(min_length=2)]
    per_byte: tuple[Positive, ...]
    adding: tuple[Positive, ...]


class Interruption(Strict):
    """Of every node, so often a second, for so long."""

    rate_per_s: Positive
    length_s: Positive


class Layout(Strict):
    """So many ``nodes`` for each macroscopic point, and how many ``points``."""

    nodes: Count
    points: Counts


class Halo(Strict):
    """``bytes`` that a macroscopic point gives to the others in a step; ``interrupted``: layouts whose nodes are also interrupted."""

    bytes: Count
    interrupted: tuple[Layout, ...]
    layouts: Annotated[tuple[Layout, ...], Meta(min_length=1)]


class PerNode(Strict):
    """``processes`` of a node on so many ``nodes``; ``inside``: factors on the latency between processes of a node."""

    processes: Counts
    k_points: Counts
    nodes: Counts
    inside: tuple[Positive, ...]


class LeftOpen(Strict):
    """What the publication asks for later, on the nodes of one of the ``systems`` with one ``case``. ``library``: whose choice of algorithms
    holds."""

    system: str
    case: str
    library: Library
    weak: Weak
    strong: Strong
    sums: Sums
    changes: Changes
    interruptions: tuple[Interruption, ...]
    halo: Halo
    per_node: PerNode


class Settings(Strict):
    """Tables of published.toml: ``kernels`` (whose columns are ``variants``), ``prefetch``, ``statements``; ``peaks`` in Gflop/s by
    processor; ``bench``: what measures the kernel here."""

    kernels: str
    variants: Annotated[tuple[str, ...], Meta(min_length=1)]
    prefetch: str
    statements: str
    network: Network
    links: Links
    bench: str
    peaks: dict[str, Positive]
    cases: dict[str, Case]
    systems: Annotated[tuple[System, ...], Meta(min_length=1)]
    comparisons: tuple[Comparison, ...]
    assumptions: Assumptions
    reduction: Reduction | None = None
    left_open: LeftOpen | None = None
