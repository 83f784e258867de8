"""[analysis] of study.toml."""

from typing import Annotated

from msgspec import Meta

from hakaru.facts.strict import Strict
from hakaru.studies.kinds import Assumptions


class Settings(Strict):
    """``tables`` of published.toml, in the summary's order."""

    tables: Annotated[tuple[str, ...], Meta(min_length=1)]
    assumptions: Assumptions = ()
