"""The result document of the replay engine: the time, where it went over ranks, and what it took to find out. Times in s."""

from typing import Annotated

import msgspec
from msgspec import Meta

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts import efficiency as pop
from hakaru.facts.strict import Strict
from hakaru.facts.values import Count

Ranks = Annotated[int, Meta(ge=1)]
PARTS = ("compute", "runtime", "overhead", "file", "waiting")


class Spread(Strict, kw_only=True):
    """Over ranks."""

    minimum: float
    mean: float
    maximum: float


class Breakdown(Strict, kw_only=True):
    """A rank's parts add up to its finish."""

    finish: Spread
    compute: Spread
    overhead: Spread
    runtime: Spread
    waiting: Spread
    file: Spread


class PhaseOfResult(Strict, kw_only=True):
    name: str
    kind: str
    time_s: Spread


class CriticalPath(Strict, omit_defaults=True, kw_only=True):
    """Seconds of the longest chain of dependences by kind and by phase, and the messages on it."""

    kinds: dict[str, float]
    messages: Count
    phases: dict[str, float] = {}


class Spent(Strict, kw_only=True):
    """By the engine itself."""

    read_s: float
    replay_s: float
    peak_bytes: float


class RankResult(Strict, omit_defaults=True, kw_only=True):
    messages: Count
    message_bytes: Count
    finish_s: float
    compute_s: float
    overhead_s: float
    runtime_s: float
    waiting_s: float
    file_s: float
    phases: tuple[float, ...] = ()


class Result(Strict, omit_defaults=True, kw_only=True):
    """``rank_results`` is empty unless it was asked for, ``critical_path`` likewise; ``changed_sends`` where sends were to be changed;
    ``warnings``: the trace's own, and what the network does not price."""

    makespan_s: float
    engine: str
    program: str
    ranks: Ranks
    messages: Count
    message_bytes: Count
    breakdown: Breakdown
    phases: tuple[PhaseOfResult, ...]
    spent: Spent
    critical_path: CriticalPath | None = None
    rank_results: tuple[RankResult, ...] = ()
    changed_sends: Count | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str | bytes) -> "Result":
        return _parse(text, cls)

    @property
    def parts_s(self) -> dict[str, float]:
        """Means over ranks that add up to the makespan; what a rank's parts leave is waiting for the last one to finish."""
        means = {part: getattr(self.breakdown, part).mean for part in PARTS}
        means["waiting"] += max(self.makespan_s - sum(means.values()), 0.0)
        return means

    def phase_s(self, name: str) -> float:
        """Mean over ranks of the time in a phase; 0 where there is no such phase."""
        return sum(phase.time_s.mean for phase in self.phases if phase.name == name)

    def efficiency(self, ideal_s: float) -> "Efficiency":
        """POP's factors, where the same program takes ``ideal_s`` when messages cost nothing."""
        compute, time_s = self.breakdown.compute, self.makespan_s
        return Efficiency(
            load_balance=pop.load_balance(compute.mean, compute.maximum),
            serialisation=pop.serialisation(compute.maximum, ideal_s),
            transfer=pop.transfer(ideal_s, time_s),
            communication=pop.communication(compute.maximum, time_s),
            parallel=pop.parallel(compute.mean, time_s),
            ideal_time_s=ideal_s,
        )


class Efficiency(Strict, kw_only=True):
    """POP's (``facts/efficiency.py``), None where a time is zero, and the time when messages cost nothing."""

    load_balance: float | None
    serialisation: float | None
    transfer: float | None
    communication: float | None
    parallel: float | None
    ideal_time_s: float


class Check(Strict, kw_only=True):
    """Whether an input can progress to its end; ``detail`` names the sends that rely on buffers."""

    detail: str
    messages: Count
    progresses: bool
    ranks: Ranks
    relies_on_buffering: bool

    @classmethod
    def parse(cls, text: str | bytes) -> "Check":
        return _parse(text, cls)


def _parse(text: str | bytes, kind: type):
    """Raises UserError when the engine is of another version, ValueError when it is no JSON."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise UserError(
            f"the replay engine's result is not understood ({error})",
            "it is of another version",
            "build hakaru again",
            ENVIRONMENT,
        ) from None
