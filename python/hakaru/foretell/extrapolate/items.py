"""What one rank does as a tree that can be compared: operations with the values that laws are sought for, and loops."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from hakaru.base.errors import UserError
from hakaru.facts.schedules import Operation, Schedule

Number: TypeAlias = int | float
END = "end of the program"  # holds the computing behind the last operation, which may be none
STARTS = ("isend", "ireceive")
SENDS = ("send", "isend")
RECEIVES = ("receive", "ireceive")
MARKS = ("grid", "persistent")  # what an operation may be, too


@dataclass(slots=True)
class Op:
    """``key``: what never changes between ranks and runs. ``values``: what may. ``link``: the start that a wait is for.

    ``seconds``: measured computing in front of it.
    """

    key: tuple
    values: dict[str, Number]
    peer: int | None = None
    lengths: tuple[int, ...] | None = None  # of a collective with one length for each partner
    link: "Op | None" = None
    seconds: float = 0.0
    before: float | None = None  # what of it was moved in front of a loop over ranks

    @property
    def do(self) -> str:
        return self.key[0]


@dataclass(slots=True)
class Loop:
    times: int
    items: "list[Item]"
    seconds: float = 0.0  # always 0: computing is in front of its first operation
    link: None = None


Item: TypeAlias = "Op | Loop"


@dataclass(slots=True)
class _Reading:
    schedule: Schedule
    rank: int
    phases: list[str] = field(default_factory=list)
    requests: dict[int, Op] = field(default_factory=dict)
    waiting_s: float = 0.0  # computing that belongs to the next operation

    def items(self, operations: Iterable[Operation]) -> list[Item]:
        found: list[Item] = []
        for one in operations:
            if one.do == "repeat":
                found.append(self._loop(one))
            elif one.do == "compute" and one.work is None:
                self.waiting_s += one.seconds or 0.0
            elif one.do == "fork":
                raise UserError(
                    f"rank {self.rank} of {self.schedule.program} calls MPI from several threads at once",
                    "schedules of such programs are not extrapolated",
                    "trace it with one thread a rank that calls MPI",
                )
            else:
                found.append(self._op(one))
        return found

    def _loop(self, one: Operation) -> Loop:
        before, self.waiting_s = self.waiting_s, 0.0
        items = self.items(one.operations or ())
        if self.waiting_s:  # computing at the end of each turn stands in front of the next
            items.append(Op(("turn",), {}, seconds=self.waiting_s))
        self.waiting_s = 0.0
        if before and items:  # what stood in front of the loop is spread over its turns
            _first(items).seconds += before / max(one.times or 1, 1)
        return Loop(one.times or 0, items)

    def _op(self, one: Operation) -> Op:
        seconds, self.waiting_s = self.waiting_s, 0.0
        if one.do == "wait":
            link = self.requests.pop(one.request or 0, None)
            return Op(
                ("wait", *(link.key if link else ())), {}, link.peer if link else None, None, link, seconds
            )
        if one.is_mark:
            return Op((one.do, one.phase), {}, seconds=seconds)
        made = Op(self._key(one), {}, self._peer(one), None, None, seconds)
        self._values(one, made)
        if one.request is not None:
            self.requests[one.request] = made
        return made

    def _key(self, one: Operation) -> tuple:
        within = () if isinstance(one.within, type(Operation("").within)) else (one.within,)
        started = one.request is not None
        return (
            one.do,
            one.mode,
            one.communicator or 0,
            started,
            one.root is not None,
            one.list is not None,
            one.piece is not None,
            tuple(mark for mark in MARKS if getattr(one, mark)),
            *within,
        )

    def _peer(self, one: Operation) -> int | None:
        if one.peer is not None:
            return one.peer
        return None if one.shift is None else (self.rank + one.shift) % self.schedule.ranks

    def _values(self, one: Operation, made: Op) -> None:
        if one.work is not None:
            work = self.schedule.works[one.work]
            made.values = {"flops": work.flops, "moved": work.bytes, "allocated": work.bytes_write_allocate}
            if work.seconds is not None:
                made.values["seconds"] = work.seconds
            return
        for name in ("tag", "bytes", "root", "piece"):
            if (value := getattr(one, name)) is not None:
                made.values[name] = value
        if one.list is None:
            return
        entries = self.schedule.lists[one.list]
        if one.do in ("put", "get", "accumulate"):
            made.values |= {"sent_flag": entries[0], "items": entries[1]}
        else:
            made.lengths = entries


def _first(items: list[Item]) -> Op:
    first = items[0]
    return _first(first.items) if isinstance(first, Loop) and first.items else first  # type: ignore[return-value]


def of_rank(schedule: Schedule, operations: Iterable[Operation], rank: int) -> list[Item]:
    """What a rank does. Raises UserError for what is not extrapolated."""
    reading = _Reading(schedule, rank)
    items = reading.items(operations)
    return [*items, Op((END,), {}, seconds=reading.waiting_s)]


def unfolded(items: Iterable[Item]) -> Iterator[Op]:
    """Every operation in order, loops unfolded."""
    for one in items:
        if isinstance(one, Loop):
            for _ in range(one.times):
                yield from unfolded(one.items)
        else:
            yield one
