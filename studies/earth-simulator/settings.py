"""[analysis] of study.toml."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive
from hakaru.studies.kinds import Amount, Assumptions, Count, Counts


class Work(Strict):
    """Operations of a point and step: ``log`` times log2 n plus ``constant``; ``transpositions`` of a step; ``starts`` of vector loops."""

    log: Amount
    constant: Amount
    transpositions: Count
    starts: Annotated[int, Meta(ge=0)]


class Memory(Strict):
    """The ``bytes`` of a grid of ``n`` points a side, and what a node has."""

    n: Count
    bytes: Positive
    node_bytes: Positive


class Here(Strict):
    n: Counts
    steps: Count
    launches: Annotated[int, Meta(ge=5)]


class Grid(Strict):
    n: Annotated[int, Meta(ge=8)]
    nodes: Counts
    processors: Counts
    models: Annotated[tuple[Literal["flat", "hybrid"], ...], Meta(min_length=1)] = ("flat", "hybrid")
    precision: Literal["double", "single"] = "double"


class Settings(Strict):
    machine: str
    steps: Count
    work: Work
    memory: Memory
    here: Here
    grids: Annotated[tuple[Grid, ...], Meta(min_length=1)]
    assumptions: Assumptions = ()
