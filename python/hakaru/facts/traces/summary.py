"""What ``hakaru_trace_summary --json`` says of a trace, as it is kept in summary.json. Times in s, sizes in B."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hakaru.facts import efficiency as pop
from hakaru.facts.strict import Strict
from hakaru.facts.values import Count

TimeByKind = dict[str, float]


class RankOfTrace(Strict):
    """``ended``: why it is not complete; ``open_call``: what it was in at the end, or empty."""

    rank: Count
    host: str
    begin_s: float
    end_s: float
    events: Count
    complete: bool
    ended: str
    open_call: str
    time_by_kind: TimeByKind


class Call(Strict):
    name: str
    calls: Count
    bytes: Count
    seconds: float


class PhaseOfTrace(Strict):
    """Means and maxima over ranks; the name is empty outside of phases."""

    name: str
    kind: str
    mean_s: float
    max_s: float
    time_by_kind: TimeByKind


class Matrix(Strict):
    """Who sent to whom; a row is (from, to, messages, bytes) of blocks of so many ranks."""

    ranks_per_block: Annotated[int, Meta(ge=1)]
    columns: tuple[str, ...]
    rows: tuple[tuple[int, int, int, int], ...]

    @property
    def sent(self) -> dict[tuple[int, int], int]:
        """(from, to) -> bytes, where there are any."""
        return {(source, target): size for source, target, _, size in self.rows if size > 0}


class Late(Strict):
    """A call that came late, and the one that waited for it."""

    late: str
    waiting: str
    count: Count
    seconds: float


class Waiting(Strict):
    seconds: float
    by_rank: tuple[float, ...]
    by_calls: tuple[Late, ...]


class WaitedAt(Strict):
    name: str
    count: Count
    seconds: float


class CollectiveWaits(Strict):
    by_rank: tuple[float, ...]
    by_call: tuple[WaitedAt, ...]

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.by_call)


class Unmatched(Strict):
    sends: Count
    receives: Count


class Efficiencies(Strict):
    """POP's, None where nothing was done; serialisation and transfer are known where the trace could be replayed with messages that cost
    nothing."""

    runtime_s: float
    load_balance: float | None
    communication: float | None
    parallel: float | None
    serialisation: float | None | UnsetType = UNSET
    transfer: float | UnsetType = UNSET

    def replayed(self, ideal_s: float, longest_compute_s: float) -> "Efficiencies":
        """With what a replay tells in which messages cost nothing: parallel = load balance x serialisation x transfer."""
        ratio = pop.serialisation(longest_compute_s, ideal_s)
        serialisation = None if ratio is None else min(ratio, 1.0)
        if not serialisation:
            return msgspec.structs.replace(self, serialisation=serialisation)
        transfer = min(self.communication / serialisation, 1.0)
        return msgspec.structs.replace(self, serialisation=serialisation, transfer=transfer)


class CriticalPath(Strict):
    """The longest chain of dependences: seconds by kind, by call and by phase, and how many messages it goes along."""

    kinds: TimeByKind
    calls: dict[str, float]
    phases: dict[str, float]
    messages: Count

    @property
    def seconds(self) -> float:
        return sum(self.kinds.values())


class Marks(Strict):
    """The part of a run between two marks: phases, or calls such as ``MPI_Barrier:2``; empty: where MPI begins or ends."""

    begin: str = msgspec.field(name="from", default="")
    end: str = msgspec.field(name="to", default="")

    @property
    def any(self) -> bool:
        return bool(self.begin or self.end)

    @property
    def words(self) -> list[str]:
        """Options of the tool."""
        given = (("--from", self.begin), ("--to", self.end))
        return [word for option, mark in given if mark for word in (option, mark)]


class TraceSummary(Strict):
    """``ideal``: the replay of the trace when messages cost nothing; None for an incomplete trace and between marks."""

    schema: Literal["hakaru/trace_summary/1"]
    program: str
    creator: str
    events: Count
    complete: bool
    ranks: tuple[RankOfTrace, ...]
    calls: tuple[Call, ...]
    phases: tuple[PhaseOfTrace, ...]
    matrix: Matrix
    late_senders: Waiting
    late_receivers: Waiting
    collective_waits: CollectiveWaits
    unmatched: Unmatched
    efficiencies: Efficiencies
    critical_path: CriticalPath
    marks: Marks
    uncovered: dict[str, Count]
    warnings: tuple[str, ...]
    ideal: dict[str, Any] | None = None

    @property
    def time_by_kind(self) -> TimeByKind:
        """Sums over ranks."""
        sums: TimeByKind = {}
        for rank in self.ranks:
            for kind, seconds in rank.time_by_kind.items():
                sums[kind] = sums.get(kind, 0.0) + seconds
        return sums


class About(msgspec.Struct, frozen=True):
    """What a trace or a schedule says of itself without its times (``--read``)."""

    program: str
    warnings: tuple[str, ...] = ()
