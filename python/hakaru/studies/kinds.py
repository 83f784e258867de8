"""What the settings of several studies are made of."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.facts.values import Words
from hakaru.foretell.replay.choices import MODELS

Count = Annotated[int, Meta(ge=1)]
Counts = Annotated[tuple[Count, ...], Meta(min_length=1)]
Amount = Annotated[float, Meta(ge=0.0)]
Assumptions = tuple[Words, ...]

Network = Literal[MODELS]
Links = Literal["first_come", "none"]
