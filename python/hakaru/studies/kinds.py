"""What the settings of several studies are made of."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.foretell.replay.choices import MODELS

Count = Annotated[int, Meta(ge=1)]
Counts = Annotated[tuple[Count, ...], Meta(min_length=1)]
Amount = Annotated[float, Meta(ge=0.0)]
Assumptions = tuple[Words, ...]

Network = Literal[MODELS]
Links = Literal["first_come", "none"]


class Number(Strict):
    """A number of published.toml: the column of the row whose ``key`` is ``row``."""

    table: str
    key: str
    row: str
    column: str


class Length(Strict):
    """How long an interruption takes."""

    name: Words
    length_s: Positive
