"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Words
from hakaru.studies.kinds import Assumptions, Count, Counts

Names = Annotated[tuple[Words, ...], Meta(min_length=1)]


class Size(Strict):
    """Matrices of this ``order``; ``programs`` by their published numbers, or all; ``sets`` of options by name; each program once in each of ``rounds``."""

    order: Count
    sets: Names
    rounds: Count
    programs: Counts | None = None


class Settings(Strict):
    """``options``: compiler flags by name of the set; ``standard``: the set that conclusions are asked of. ``small``: order of the matrices whose files are
    read back. ``trial`` is what tests run, ``beyond`` what is run when there is one."""

    options: dict[str, tuple[str, ...]]
    standard: Words
    small: Count
    trial: Size
    beyond: Size | None = None
    assumptions: Assumptions = ()
