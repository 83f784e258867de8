"""Values that the types of files are made of, with the bounds that their schemas give. Times in s."""

from typing import Annotated

from msgspec import Meta

Words = Annotated[str, Meta(min_length=1)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]+$")]
Moment = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$")]
Seconds = Annotated[float, Meta(ge=0.0)]
Positive = Annotated[float, Meta(gt=0.0)]
Count = Annotated[int, Meta(ge=0)]
AtLeastOne = Annotated[int, Meta(ge=1)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
