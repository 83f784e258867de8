"""[analysis] of study.toml."""

from hakaru.facts.strict import Strict
from hakaru.studies.kinds import Assumptions, Count, Counts


class Settings(Strict):
    """``table_items``: of the published table of file sizes. Fortran's ``buffers`` in B are tried with ``buffer_items`` items of each type,
    ``buffer_samples`` times."""

    table_items: Count
    buffer_items: Count
    buffer_samples: Count
    buffers: Counts
    assumptions: Assumptions = ()
