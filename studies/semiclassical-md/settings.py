"""[analysis] of study.toml."""

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.studies.kinds import Assumptions, Count, Counts


class Settings(Strict):
    """``degrees`` of freedom; ``options``: sets of compiler options, each its words, the last of them also for threads. Programs run in turns,
    ``rounds`` times with ``samples`` of about ``sample_s`` each, ``trajectories`` at once. ``app_degrees``: those of the app."""

    degrees: Counts
    threads: Counts
    options: tuple[Words, ...]
    trajectories: Count
    sample_s: Positive
    rounds: Count
    samples: Count
    app_degrees: Counts
    assumptions: Assumptions = ()
