"""[analysis] of study.toml."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.studies.kinds import Amount, Assumptions, Count, Counts, Length, Links, Network, Number


class Inside(Strict):
    """Messages inside a node."""

    latency_s: Amount
    bytes_per_s: Positive


class Noise(Strict):
    """The ``share`` of a node's time that a team of all ``cores`` loses."""

    share: Annotated[float, Meta(ge=0.0, le=1.0)]
    cores: Count
    lengths: Annotated[tuple[Length, ...], Meta(min_length=1)]


class Stretch(Length):
    """Detours of one length; runs take at least so many ``periods`` of them."""

    periods: Count


class Gathering(Strict):
    """Daemons scattered and gathered: ``layouts`` by name, on each of ``nodes``; runs of more than ``most_ranks`` or with more than ``most``
    ranks times iterations are left out."""

    nodes: Counts
    layouts: Annotated[tuple[Words, ...], Meta(min_length=1)]
    lengths: Annotated[tuple[Stretch, ...], Meta(min_length=1)]
    most: Positive
    most_ranks: Count


class Layout(Strict):
    """``forks``: a team of threads is started for each sweep, or for each row; ``fork_factor``: how many times the published cost."""

    name: Words
    ranks_per_node: Count
    threads: Count
    forks: Literal["sweep", "row"]
    fork_factor: Amount = 1.0
    spare_cores: Annotated[int, Meta(ge=0)] = 0


class Settings(Strict):
    """``rate``: of a core; ``fork``: of a region of threads; ``row_flops``: operations of a row."""

    machine: str
    network: Network
    links: Links
    nodes: Counts
    inside: Inside
    rate: Number
    fork: Number
    row_flops: Positive
    noise: Noise
    layouts: Annotated[tuple[Layout, ...], Meta(min_length=1)]
    gathering: Gathering
    assumptions: Assumptions
