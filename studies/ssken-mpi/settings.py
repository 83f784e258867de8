"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.studies.kinds import Amount, Assumptions, Count, Counts, Links, Network


class Operation(Strict):
    """One collective by one algorithm."""

    collective: str
    bytes: int
    algorithm: str


class Scaling(Strict):
    """A collective by processes, length and algorithm."""

    collective: str
    ranks: Counts
    bytes: Counts
    algorithms: Annotated[tuple[str, ...], Meta(min_length=1)]


class Crossover(Strict):
    """Up to how many processes one algorithm is ahead of another: the published ``item``."""

    collective: str
    bytes: int
    faster: str
    slower: str
    item: str


class Placements(Strict):
    ranks: Annotated[int, Meta(ge=2)]
    ranks_per_node: Counts
    collectives: Annotated[tuple[Operation, ...], Meta(min_length=1)]


class Here(Strict):
    """The links of the virtual cluster, what the probe measures, and the published ``threshold`` of lengths."""

    latency_s: Amount
    rate_bytes_per_s: Amount
    maximum_bytes: Annotated[int, Meta(ge=8)]
    samples: Annotated[int, Meta(ge=5)]
    threshold: str
    threshold_unit_bytes: Count


class Settings(Strict):
    machine: str
    network: Network
    links: Links
    ranks_per_node: Count
    scaling: Annotated[tuple[Scaling, ...], Meta(min_length=1)]
    crossovers: tuple[Crossover, ...]
    placements: Placements
    here: Here
    assumptions: Assumptions = ()
