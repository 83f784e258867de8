"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Words
from hakaru.studies.kinds import Assumptions, Count

Names = Annotated[tuple[Words, ...], Meta(min_length=1)]


class Options(Strict):
    """A set of compiler options. ``families``: whose compilers take it, or all. ``timed``: whether its loops are run with and without vectors; else
    only what the compiler says is counted."""

    name: Words
    flags: tuple[str, ...]
    families: Names | None = None
    timed: bool = True


class Size(Strict):
    """``classes`` of loops, or all, at most ``most`` of each; ``sets`` of options by name. Each program runs once in each of ``rounds``: ``samples`` of
    ``calls``."""

    sets: Names
    rounds: Count
    calls: Count
    samples: Count
    classes: Names | None = None
    most: Count | None = None


class Settings(Strict):
    """``tolerance``: relative, between results of a loop. ``trial`` is what tests run, ``beyond`` what is run when there is one."""

    options: Annotated[tuple[Options, ...], Meta(min_length=1)]
    tolerance: float
    trial: Size
    beyond: Size | None = None
    assumptions: Assumptions = ()

    def options_of(self, name: str) -> Options:
        return next(one for one in self.options if one.name == name)
