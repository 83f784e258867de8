"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.studies.kinds import Assumptions, Count

Names = Annotated[tuple[Words, ...], Meta(min_length=1)]


class Run(Strict):
    """``sizes`` by name; of them those in ``double`` precision too, and of which several ``copies`` run at once. In each of ``rounds`` a program takes
    ``samples`` of ``least_s`` seconds at least, and a launch of the app about ``launch_s``. ``cores``: at most."""

    sizes: Names
    double: tuple[Words, ...]
    copies: tuple[Words, ...]
    least_s: Positive
    rounds: Count
    samples: Count
    cores: Count
    launch_s: Positive


class Settings(Strict):
    """``grids``: points along x, the unit stride, y and z, with the boundary. ``trial`` is what tests run, ``beyond`` what is run when there is one."""

    grids: dict[Words, tuple[Count, Count, Count]]
    flags: tuple[str, ...]
    trial: Run
    beyond: Run | None = None
    assumptions: Assumptions = ()
