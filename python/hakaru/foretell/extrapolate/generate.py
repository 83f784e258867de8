"""The schedule of a run that was never made: laws asked for one rank of each class, and written as operations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hakaru.base.errors import UserError
from hakaru.facts.schedules import Operation, Schedule, Stream
from hakaru.facts.schedules.schedule import Communicator, Phase, Ranks, WorkOfRank
from hakaru.foretell.extrapolate.classes import classes, placed
from hakaru.foretell.extrapolate.items import END
from hakaru.foretell.extrapolate.lists import Members
from hakaru.foretell.extrapolate.points import Block, Values, every_rank
from hakaru.foretell.extrapolate.seconds import SecondsLaw
from hakaru.foretell.extrapolate.solve import Solved, Source
from hakaru.foretell.extrapolate.template import Node

MOST_OPERATIONS = 20_000_000
PER_OPERATION = ("tag", "bytes", "root", "piece")


@dataclass(eq=False)
class Column:
    """What one operation is for every rank that stands for a class; ``at``: place of a rank in the arrays, -1 where it does not do it."""

    solved: Solved
    at: Values
    peers: Values | None
    values: dict[str, Values]
    times: Values | None = None
    lengths: Values | None = None
    lists: list[tuple[int, ...]] | None = None
    seconds: Values | None = None
    inside: "list[list[Column]]" = field(default_factory=list)  # one entry; one a turn of a stretch


@dataclass
class Tables:
    """Works and lists, each once."""

    works: dict[WorkOfRank, int] = field(default_factory=dict)
    lists: dict[tuple[int, ...], int] = field(default_factory=dict)

    def work(self, work: WorkOfRank) -> int:
        return self.works.setdefault(work, len(self.works))

    def list(self, values: tuple[int, ...]) -> int:
        return self.lists.setdefault(values, len(self.lists))


@dataclass(frozen=True)
class Frame:
    """What a schedule has beside its streams."""

    program: str
    description: str
    phases: tuple[Phase, ...]
    communicators: tuple[Communicator, ...]


def schedule(
    solved: Sequence[Solved], target: Source, frame: Frame, seconds: dict[Solved, SecondsLaw]
) -> Schedule:
    """Raises UserError when it would have more operations than fit into memory."""
    members = Members(frame.communicators, target.ranks)
    first, class_of = classes(solved, every_rank(target.ranks, target.sizes, target.division), members)
    block = every_rank(target.ranks, target.sizes, target.division, first)
    columns = _Asking(seconds, len(first), members).columns(solved, block, np.arange(len(first)))
    tables = Tables()
    order = np.argsort(class_of, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(class_of, minlength=len(first)))[:-1])
    streams = []
    for number, ranks in enumerate(parts):
        writing = Writing(target.ranks, int(first[number]), number, tables)
        streams.append(Stream(ranks=runs(ranks), operations=tuple(writing.operations(columns))))
    return Schedule(
        schema="hakaru/schedule/1",
        program=frame.program,
        description=frame.description,
        ranks=target.ranks,
        phases=frame.phases,
        communicators=frame.communicators,
        works=tuple(tables.works),
        lists=tuple(tables.lists),
        streams=tuple(streams),
    )


def runs(values: Values) -> Ranks:
    """Ascending numbers as runs (first, last, stride)."""
    found: list[tuple[int, int, int]] = []
    at, steps = 0, np.diff(values)
    changes = np.append(np.flatnonzero(np.diff(steps)) + 1, len(steps))
    while at < len(values):
        end = int(changes[np.searchsorted(changes, at, side="right")]) if at < len(steps) else at
        stride = int(steps[at]) if end > at else 1
        if end == at + 1 and stride > 1 and end < len(values) - 1:
            end, stride = at, 1
        found.append((int(values[at]), int(values[end]), stride))
        at = end + 1
    return tuple(found)


class _Asking:
    """Asks the laws, for all classes at once."""

    def __init__(self, seconds: dict[Solved, SecondsLaw], many: int, members: Members):
        self.seconds, self.many, self.asked, self.members = seconds, many, 0, members

    def columns(self, solved: Sequence[Solved], block: Block, where: Values) -> list[Column]:
        return [self._column(one, block, where) for one in solved]

    def _column(self, one: Solved, block: Block, where: Values) -> Column:
        does, peers = placed(one, block)
        inner, at = block.part(does), np.full(self.many, -1)
        inner.peers = peers
        at[where[does]] = np.arange(does.sum())
        column = Column(one, at, peers, {name: law.of(inner) for name, law in one.values.items()})
        column.times = one.times.of(inner) if one.times else None
        column.lengths = one.lengths.of(inner) if one.lengths else None
        column.lists = one.lists.lists(inner, self.members) if one.lists else None
        law = self.seconds.get(one)
        column.seconds = law.of(inner) if law else None
        self.asked += int(does.sum())
        if self.asked > MOST_OPERATIONS:
            raise UserError(
                f"the schedule would have more than {MOST_OPERATIONS} different operations",
                "too many ranks do something that no other does, or do it in too many turns",
                "ask for fewer ranks",
            )
        if one.turns is not None:
            column.inside = self._turns(one, inner, where[does])
        elif one.children:
            column.inside = [self.columns(one.children, inner, where[does])]
        return column

    def _turns(self, one: Solved, block: Block, where: Values) -> list[list[Column]]:
        turns = one.turns.of(block.ranks, block.who) if one.turns else np.ones_like(block.who)
        found = []
        for turn in range(int(turns.max(initial=0))):
            chosen = turns > turn
            inner = replace(
                block.part(chosen), turn=np.full(chosen.sum(), turn), turns=turns[chosen], _kept={}
            )
            found.append(self.columns(one.children, inner, where[chosen]))
        return found


@dataclass
class Writing:
    """Of one class; ``number`` is its own."""

    ranks: int
    rank: int
    number: int
    tables: Tables
    open: dict[Node, list[int]] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)

    def operations(self, columns: Iterable[Column]) -> list[Operation]:
        found: list[Operation] = []
        for column in columns:
            at = int(column.at[self.number])
            if at >= 0:
                found += self._written(column, at)
        return found

    def _written(self, column: Column, at: int) -> list[Operation]:
        node, found = column.solved.node, []
        if column.seconds is not None and column.seconds[at] > 0:
            found.append(Operation(do="compute", seconds=float(column.seconds[at])))
        if column.solved.turns is not None:
            for inside in column.inside:
                found += self.operations(inside)
        elif column.times is not None:
            operations = tuple(self.operations(column.inside[0])) if column.inside else ()
            found.append(Operation(do="repeat", times=round(float(column.times[at])), operations=operations))
        elif node.key[0] == "wait":
            found += self._wait(node)
        elif node.key[0] not in (END, "turn"):
            found.append(self._operation(column, at))
        return found

    def _wait(self, node: Node) -> list[Operation]:
        requests = self.open.get(node.link, []) if node.link else []
        if not requests:
            return []
        request = requests.pop(0)
        self.used.discard(request)
        return [Operation(do="wait", request=request)]

    def _operation(self, column: Column, at: int) -> Operation:
        key = column.solved.node.key
        if key[0] in ("begin", "end"):
            return Operation(do=key[0], phase=key[1])
        do, mode, communicator, started, _, _, _, marks, *within, _ = key
        values = {name: _whole(column.values[name][at]) for name in PER_OPERATION if name in column.values}
        fields: dict = (
            values | {"mode": mode, "communicator": communicator or None} | dict.fromkeys(marks, True)
        )
        if within:
            fields["within"] = within[0]
        if started:
            fields["request"] = self._request(column.solved.node)
        if do == "compute":
            fields["work"] = self._work(column, at)
        if "items" in column.values:
            pair = (_whole(column.values["sent_flag"][at]), _whole(column.values["items"][at]))
            fields["list"] = self.tables.list(pair)
        if column.lists is not None:
            fields["list"] = self.tables.list(column.lists[at])
        if column.lengths is not None:
            fields["bytes"] = _whole(column.lengths[at])
        return Operation(do=do, **fields, **self._peer(column, at))

    def _peer(self, column: Column, at: int) -> dict[str, int]:
        law = column.solved.peers
        if column.peers is None or law is None:
            return {}
        peer = int(column.peers[at])
        if law.fixed:
            return {"peer": peer}
        forward = (peer - self.rank) % self.ranks
        return {"shift": forward if forward <= self.ranks // 2 else forward - self.ranks}

    def _work(self, column: Column, at: int) -> int:
        values = {name: float(column.values[name][at]) for name in column.values}
        seconds = values.get("seconds")
        return self.tables.work(
            WorkOfRank(
                flops=values["flops"],
                bytes=values["moved"],
                bytes_write_allocate=values["allocated"],
                seconds=seconds,
            )
        )

    def _request(self, node: Node) -> int:
        request = 0
        while request in self.used:
            request += 1
        self.used.add(request)
        self.open.setdefault(node, []).append(request)
        return request


def _whole(value: float) -> int:
    return int(round(float(value)))
