"""What every rank of a program does, in order (schema/schedule.schema.json): reading, writing, and the one walk over operations."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts.strict import Strict
from hakaru.facts.values import AtLeastOne, Share

SCHEMA = "hakaru/schedule/1"
TIMED = "repetition"  # the phase that holds what is timed

Kind = TypeVar("Kind")
AtLeastZero = Annotated[int, Meta(ge=0)]
Amount = Annotated[float, Meta(ge=0.0)]
Ranks = tuple[tuple[int, int, int], ...]  # runs (first, last, stride)


def members(ranks: Ranks) -> Iterator[int]:
    """Every rank of runs, in order."""
    for first, last, stride in ranks:
        yield from range(first, last + (1 if stride > 0 else -1), stride)


class Phase(Strict):
    name: Annotated[str, Meta(min_length=1)]
    kind: Literal["compute", "communicate", "io", "idle"]


class Communicator(Strict, omit_defaults=True):
    """A family of disjoint communicators. ``alone``: every rank is a group of its own; without ``groups`` all ranks are one."""

    name: str
    alone: bool = msgspec.field(default=False, name="self")
    created_windows: bool = False
    groups: tuple[Ranks, ...] = ()


class WorkOfRank(Strict, omit_defaults=True):
    """Of one computation; ``seconds`` is None where only a machine can say."""

    flops: Amount
    bytes: Amount
    bytes_write_allocate: Amount
    seconds: Amount | None = None

    @property
    def takes_time(self) -> bool:
        return any((self.flops, self.bytes, self.bytes_write_allocate, self.seconds))


class Operation(Strict, omit_defaults=True):
    """``do`` says what; which of the other fields it has is in the schema. ``phase``: of a mark; ``within``: its own, where it is not
    the innermost that is open. ``operations``: of a loop (``repeat``) or of a thread (``fork``)."""

    do: str
    times: AtLeastZero | None = None
    operations: "tuple[Operation, ...] | None" = None
    phase: str | None = None
    work: AtLeastZero | None = None
    seconds: Amount | None = None
    cold_s: Amount | None = None
    peer: AtLeastZero | None = None
    shift: int | None = None
    tag: int | None = None
    bytes: AtLeastZero | None = None
    communicator: AtLeastZero | None = None
    root: AtLeastZero | None = None
    request: AtLeastZero | None = None
    list: AtLeastZero | None = None
    mode: Literal["standard", "buffered", "synchronous", "ready", "local", "collective"] | None = None
    piece: AtLeastOne | None = None
    grid: bool | None = None
    persistent: bool | None = None
    within: str | None | UnsetType = msgspec.field(default=UNSET, name="in")

    @property
    def is_mark(self) -> bool:
        return self.do in ("begin", "end")


Operations = tuple[Operation, ...]


def operations_of(entries: Iterable[Mapping[str, Any]]) -> Operations:
    """From JSON objects. Raises ValueError where one is no operation."""
    return msgspec.convert(list(entries), Operations)


class Stream(Strict):
    """Ranks that do the same, and what they do."""

    ranks: Ranks
    operations: Operations

    @property
    def sharing(self) -> int:
        """How many ranks it is of."""
        return sum(abs(last - first) // abs(stride) + 1 for first, last, stride in self.ranks)

    def timed(self) -> Iterator[tuple[Operation, int]]:
        """Operations of the timed part with how often they are done; all where no phase says what is timed."""
        inside = whole = not any(one.do == "begin" and one.phase == TIMED for one in self.operations)
        for one in self.operations:
            if one.is_mark and one.phase == TIMED:
                inside = one.do == "begin"
            elif inside or whole:
                yield from walk((one,))


def walk(
    operations: Iterable[Operation], times: int = 1, repeated: bool = False
) -> Iterator[tuple[Operation, int]]:
    """Every operation inside loops and threads with how often it is done; ``repeated``: those of a loop again and again, in order."""
    for one in operations:
        if one.operations is None:
            yield one, times
            continue
        turns = 1 if one.times is None else one.times
        if repeated and one.do == "repeat":
            for _ in range(turns):
                yield from walk(one.operations, times, repeated)
        else:
            yield from walk(one.operations, times * turns, repeated)


class Schedule(Strict, omit_defaults=True):
    """``streams`` hold every rank exactly once; ``works`` and ``lists`` are what operations point to; ``memory_bytes``: what a rank uses of
    its own, where a trace (the median) or an app tells; ``in_large_pages``: of the bytes of its long messages, the share that it sent from
    pages larger than the smallest."""

    schema: Literal["hakaru/schedule/1"]
    program: str
    description: str
    ranks: Annotated[int, Meta(ge=1)]
    phases: tuple[Phase, ...]
    communicators: tuple[Communicator, ...]
    works: tuple[WorkOfRank, ...]
    lists: tuple[tuple[int, ...], ...]
    streams: tuple[Stream, ...]
    memory_bytes: AtLeastOne | None = None
    in_large_pages: Share | None = None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Schedule":
        """From the JSON object. Raises ValueError when it is no schedule."""
        return msgspec.convert(document, cls)

    @classmethod
    def read(cls, path: Path) -> "Schedule":
        """Raises UserError when the file is missing or no schedule."""
        return _read(path, cls)

    @property
    def timed_phase(self) -> str | None:
        """The phase that holds what is timed, where there is one."""
        return TIMED if any(phase.name == TIMED for phase in self.phases) else None

    @property
    def flops(self) -> float:
        """Of the rank that has most, in the timed part."""
        return max(
            sum(times * self.works[one.work].flops for one, times in stream.timed() if one.work is not None)
            for stream in self.streams
        )

    def is_strided(self, operation: Operation) -> bool:
        """Whether a put or get moves pieces with gaps between them."""
        return operation.list is not None and self.lists[operation.list][1] > 0

    def takes_time(self, operation: Operation) -> bool:
        """Whether a computation does."""
        return bool(operation.seconds) if operation.work is None else self.works[operation.work].takes_time

    def group_size(self, communicator: int, rank: int) -> int:
        """Ranks of the communicator of that family which a rank is in."""
        family = self.communicators[communicator]
        if family.alone:
            return 1
        sizes = (len(found) for group in family.groups if rank in (found := list(members(group))))
        return next(sizes, self.ranks)


class Head(msgspec.Struct, frozen=True):
    """What a schedule says before its streams, which may be long and stay unread."""

    ranks: Annotated[int, Meta(ge=1)]
    streams: msgspec.Raw
    program: str = ""

    @classmethod
    def read(cls, path: Path) -> "Head":
        """Raises UserError when the file is missing or no schedule."""
        return _read(path, cls)


def _read(path: Path, kind: type[Kind]) -> Kind:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise UserError(
            f"cannot read {path}", str(error.strerror), "check the file's name", ENVIRONMENT
        ) from None
    except msgspec.ValidationError as error:
        why = "it has no ranks or no streams" if kind is Head else str(error)
        raise UserError(f"{path} is no schedule", why, "see schema/schedule.schema.json") from None
    except ValueError as error:
        raise UserError(
            f"{path} is no schedule", f"it is not valid JSON: {error}", "write it again"
        ) from None
