"""The jobs of a draw: which kind comes when, and how long each takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Span
from hakaru.foretell.mix.draws import Times
from hakaru.foretell.mix.file import Arrival, MixFile, span
from hakaru.foretell.mix.jobs import Jobs
from hakaru.foretell.mix.kinds import Kind, Node
from hakaru.foretell.mix.swf import Log

HOUR_S = 3600.0
MOST_JOBS = 20_000_000


@dataclass(frozen=True)
class Workload:
    """``submit_s`` None: by the arrival. Draws of one number hold the same luck for every workload with as many jobs: what differs between
    two of them is not chance."""

    kinds: tuple[Kind, ...]
    arrival: Arrival
    overhead: Span
    seed: int
    submit_s: np.ndarray | None = None
    ends_at_limit: bool = True

    @property
    def exact(self) -> bool:
        """Whether all draws are the same."""
        spans = [span for kind in self.kinds for span in (kind.times.usual, kind.times.any_one)]
        luck = self.arrival.order == "shuffled" or (
            self.submit_s is None and self.arrival.per_hour is not None
        )
        return not luck and all(span.low == span.high for span in [*spans, self.overhead])

    @cached_property
    def written(self) -> np.ndarray:
        """(n,) the kind of each job, as written."""
        return np.repeat(np.arange(len(self.kinds)), [kind.count for kind in self.kinds])

    def drawn(self, draw: int) -> Jobs:
        """Same seed and draw, same jobs, bit by bit."""
        luck = np.random.default_rng([self.seed, draw])
        count = len(self.written)
        own, families, between = luck.standard_normal(count), luck.standard_normal(count), luck.random(count)
        order = luck.permutation(count) if self.arrival.order == "shuffled" else np.arange(count)
        kind = self.written[order]
        run_s = self._run_s(kind, own, families, float(luck.standard_normal()))
        of_kind = {
            name: np.array([getattr(one, name) for one in self.kinds])
            for name in ("needs", "cores", "limit_s")
        }
        limit_s = of_kind["limit_s"][kind].astype(float)
        if not self.ends_at_limit:
            limit_s = np.maximum(limit_s, run_s)
        return Jobs(
            kind, self._submit_s(between), of_kind["needs"][kind], run_s, limit_s, of_kind["cores"][kind]
        )

    def _run_s(self, kind: np.ndarray, own: np.ndarray, families: np.ndarray, overhead: float) -> np.ndarray:
        names = list(dict.fromkeys(one.family for one in self.kinds))
        run_s = np.empty(len(kind))
        for number, one in enumerate(self.kinds):
            mine = kind == number
            run_s[mine] = one.times.drawn(float(families[names.index(one.family)]), own[mine])
        return run_s + Times(self.overhead, self.overhead).drawn(overhead, np.zeros(len(kind)))

    def _submit_s(self, between: np.ndarray) -> np.ndarray:
        if self.submit_s is not None:
            return self.submit_s
        count = len(between)
        if self.arrival.per_hour is not None:
            apart = -np.log1p(-between) * (HOUR_S / self.arrival.per_hour)
            return np.cumsum(apart) - apart[0]
        return np.arange(count) * (self.arrival.every_s or 0.0)


@dataclass(frozen=True)
class LoggedWorkload:
    """The jobs of a log as they were: nothing of them is drawn."""

    jobs: Jobs
    exact = True

    def drawn(self, draw: int) -> Jobs:
        return self.jobs


def of_mix(mix: MixFile, kinds: Sequence[Kind], log: Log | None) -> Workload:
    """Jobs of forecast kinds, which come as the mix or as a log says. Raises UserError where the log has fewer jobs."""
    count = sum(kind.count for kind in kinds)
    if count > MOST_JOBS:
        raise UserError(f"the mix has {count} jobs", f"at most {MOST_JOBS} are taken", "use smaller counts")
    if log is not None and len(log.submit_s) < count:
        raise UserError(
            f"the log has {len(log.submit_s)} jobs",
            f"the mix has {count}, which come when those came",
            "use a longer log",
        )
    submit_s = None if log is None else log.submit_s[:count]
    return Workload(tuple(kinds), mix.arrival, span(mix.overhead_s), mix.seed, submit_s, mix.limits == "end")


def of_log(log: Log, node: Node) -> tuple[LoggedWorkload, int]:
    """A log replayed on this machine, and how many of its jobs are larger than it and left out. Raises UserError when all are."""
    needs = -(-log.processors // node.cores)
    fits = needs <= node.count
    if not fits.any():
        raise UserError(
            "no job of the log fits",
            f"the smallest needs {needs.min()} nodes of {node.cores} cores",
            "use more nodes",
        )
    submit_s = log.submit_s[fits]
    kind = np.zeros(len(submit_s), dtype=int)
    cores = np.minimum(log.processors[fits], node.cores)
    jobs = Jobs(kind, submit_s - submit_s[0], needs[fits], log.run_s[fits], log.limit_s[fits], cores)
    return LoggedWorkload(jobs), int((~fits).sum())
