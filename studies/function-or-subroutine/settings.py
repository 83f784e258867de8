"""[analysis] of study.toml."""

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive
from hakaru.studies.kinds import Assumptions, Count


class Settings(Strict):
    """``extent``: sites along each axis, as published; ``beyond``: more of them, or none. Programs run in turns, ``rounds`` times with
    ``samples`` of about ``application_s`` each, compiled with ``flags``."""

    extent: Count
    application_s: Positive
    rounds: Count
    samples: Count
    flags: tuple[str, ...]
    beyond: tuple[Count, ...] | None = None
    assumptions: Assumptions = ()
