"""[analysis] of study.toml."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive
from hakaru.studies.kinds import Assumptions, Count, Counts

Kind = Literal["base", "transparent", "large"]


class Size(Strict):
    """``image`` points along each axis; programs run in turns, ``rounds`` times, on each number of ``threads``. ``pages``: kinds beside base pages;
    ``segment_mib`` of fresh memory are written to see what a segment costs."""

    image: Annotated[int, Meta(ge=4)]
    rounds: Count
    threads: Counts
    pages: tuple[Kind, ...]
    segment_mib: Count


class Model(Strict):
    """Published numbers that go in: iterations of the loop, MB of a thread's stack and of a segment of large pages, seconds that a new one costs, and
    MB of two images."""

    iterations: Count
    stack_mb: Positive
    segment_mb: Positive
    segment_s: Positive
    images_mb: Positive


class Settings(Strict):
    """``trial`` is what tests run, ``beyond`` what is run when there is one, with the app beside it. Windows are ``mask`` points wide."""

    model: Model
    mask: Annotated[int, Meta(ge=3)]
    flags: tuple[str, ...]
    trial: Size
    beyond: Size | None = None
    assumptions: Assumptions = ()
