"""[analysis] of study.toml."""

from hakaru.facts.strict import Strict
from hakaru.facts.values import Positive, Words
from hakaru.studies.kinds import Assumptions, Count, Counts


class Beyond(Strict):
    """More of them, all styles of loops, and the app."""

    degrees: Counts
    threads: Counts
    options: tuple[Words, ...]


class Settings(Strict):
    """``degrees`` of freedom; ``options``: sets of compiler options, each its words, the last of them also for threads. Programs run in turns,
    ``rounds`` times with ``samples`` of about ``sample_s`` each, ``trajectories`` at once. Without ``beyond``, the published loops alone."""

    degrees: Count
    threads: Counts
    options: tuple[Words, ...]
    trajectories: Count
    sample_s: Positive
    rounds: Count
    samples: Count
    beyond: Beyond | None = None
    assumptions: Assumptions = ()

    @property
    def all_degrees(self) -> tuple[int, ...]:
        return (self.degrees, *(self.beyond.degrees if self.beyond else ()))

    @property
    def all_threads(self) -> tuple[int, ...]:
        return (*self.threads, *(self.beyond.threads if self.beyond else ()))

    @property
    def all_options(self) -> tuple[str, ...]:
        return (*(self.beyond.options if self.beyond else ()), *self.options)
