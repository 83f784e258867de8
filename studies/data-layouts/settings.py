"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Words
from hakaru.studies.kinds import Assumptions, Count

Names = Annotated[tuple[str, ...], Meta(min_length=1)]


class Options(Strict):
    """A set of compiler options. ``exact``: the bits of results are those of all other exact sets, else only the sum agrees."""

    name: Words
    flags: tuple[str, ...]
    exact: bool


class Size(Strict):
    """``points`` along each axis of each of ``blocks``; ``layouts`` by their letters; ``sets`` of options by name; ``attributes`` of what has run-time size
    in Fortran. ``rounds`` of one sample of ``steps`` each."""

    points: Count
    blocks: Count
    layouts: Names
    kernels: tuple[int, ...]
    sets: Names
    attributes: Names
    rounds: Count
    steps: Count


class Settings(Strict):
    """``trial`` is what tests run, ``beyond`` what is run when there is one. ``standard``: the set of options that stands beside the published times;
    ``sum_tolerance``: relative, of sets that are not exact."""

    options: Annotated[tuple[Options, ...], Meta(min_length=1)]
    standard: Words
    sum_tolerance: float
    trial: Size
    beyond: Size | None = None
    assumptions: Assumptions = ()

    def options_of(self, name: str) -> Options:
        return next(one for one in self.options if one.name == name)
