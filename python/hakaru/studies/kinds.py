"""What the settings of several studies are made of."""

from typing import Annotated, Literal

from msgspec import Meta

from hakaru.foretell.replay.choices import MODELS

Words = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=1)]
Counts = Annotated[tuple[Count, ...], Meta(min_length=1)]
Amount = Annotated[float, Meta(ge=0.0)]
Positive = Annotated[float, Meta(gt=0.0)]
Assumptions = tuple[Words, ...]

Network = Literal[MODELS]
Links = Literal["first_come", "none"]
