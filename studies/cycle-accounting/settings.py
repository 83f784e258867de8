"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.studies.kinds import Assumptions, Count


class Size(Strict):
    """``extents`` of those cases that have this size: elements along an axis, or in a list; of ``padding`` from column to column."""

    name: Words
    extents: dict[Words, Count]


class Run(Strict):
    """``kernels`` by name; arrays in memory are ``memory_times`` the last cache. In each of ``rounds`` a program takes ``samples`` of ``least_s`` seconds at
    least. ``threads``: at most, of the case that has some."""

    kernels: tuple[Words, ...]
    memory_times: Positive
    least_s: Positive
    rounds: Count
    samples: Count
    threads: Count
    sizes: Annotated[tuple[Size, ...], Meta(min_length=1)]


class Settings(Strict):
    """Compiler ``flags``; ``tile``: extent of a tile; ``ahead``: elements from a prefetch to its use; ``pad``: rows added to a column. ``trial`` is what tests
    run, ``beyond`` what is run when there is one."""

    flags: tuple[str, ...]
    tile: Count
    ahead: Count
    pad: Count
    trial: Run
    beyond: Run | None = None
    assumptions: Assumptions = ()
