"""[analysis] of study.toml."""

from hakaru.facts.strict import Strict
from hakaru.studies.kinds import Assumptions, Count


class Settings(Strict):
    """``rounds``: launches of each number of processes, in turns."""

    rounds: Count
    assumptions: Assumptions = ()
