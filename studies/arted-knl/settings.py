"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
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
