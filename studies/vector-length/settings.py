"""[analysis] of study.toml."""

from hakaru.facts.strict import Strict
from hakaru.studies.kinds import Assumptions


class Settings(Strict):
    assumptions: Assumptions = ()
