"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.facts.work import Parameters
from hakaru.studies.kinds import Assumptions, Count, Length, Links, Network


class Case(Strict):
    """A published run on a grid of ``rows`` x ``columns`` nodes, a rank each. ``n``: its order; None: what fills the share ``fill`` of
    ``memory_per_node`` (B)."""

    name: Words
    nodes: Count
    rows: Count
    columns: Count
    memory_per_node: Positive
    n: Count | None = None


class Small(Strict):
    """A run that is replayed as a whole and by samples."""

    n: Count
    rows: Count
    columns: Count


class Sampling(Strict):
    """The time of a step is replayed at so many ``points`` of the run, from ``window`` steps after as many."""

    points: Annotated[int, Meta(ge=2)]
    window: Count
    small: Small


class Jitter(Strict):
    """Daemons take ``share`` of the computing of a node; ``cases`` by name; ``window``: of steps of a sample, as in ``Sampling``."""

    share: Annotated[float, Meta(gt=0.0, lt=1.0)]
    window: Count
    lengths: Annotated[tuple[Length, ...], Meta(min_length=1)]
    cases: tuple[Words, ...]
    seeds: Annotated[tuple[int, ...], Meta(min_length=1)]


class Variant(Strict):
    """Other parameters of the program."""

    name: Words
    parameters: Parameters


class Settings(Strict):
    """``reference``: the name of the run that the rate is fitted to; ``long``: of the run whose time is published; ``varied``: of the one that
    is replayed with each of ``variants``."""

    machine: str
    network: Network
    links: Links
    threads: Count
    fill: Annotated[float, Meta(gt=0.0, le=1.0)]
    cases: Annotated[tuple[Case, ...], Meta(min_length=1)]
    reference: Words
    long: Words
    varied: Words
    sampling: Sampling
    jitter: Jitter
    variants: tuple[Variant, ...] = ()
    assumptions: Assumptions = ()
