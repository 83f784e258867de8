"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.studies.kinds import Assumptions, Count, Counts, Links, Network


class Way(Strict):
    """A way of sending as the program calls it. ``column`` of the published table; ``starts``: it starts requests."""

    way: str
    name: str
    column: str | None = None
    starts: bool = False


class Rate(Strict):
    """A computing rate is fitted to the time of one way and length, and holds up to a length (None: for all longer ones)."""

    name: str
    n: Count
    way: str
    up_to: Count | None = None


class Settings(Strict):
    """``key``: the column of the published table that holds lengths."""

    table: str
    key: str
    machine: str
    network: Network
    links: Links
    ranks_per_node: Count
    lengths: Counts
    ways: Annotated[tuple[Way, ...], Meta(min_length=1)]
    rates: Annotated[tuple[Rate, ...], Meta(min_length=1)]
    here_lengths: Counts = ()
    eager_limits: Counts = ()
    assumptions: Assumptions = ()
