"""What a traced program wrote of its own, and in which way: sums of ``files.json``, files that belong together taken as one."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from hakaru.facts.traces.file_use import FileUse, Use, UsedFile

OWN, SHARED, COLLECTIVE, MASTER = "own", "shared", "collective", "master"
LAYERS = ("posix", "stdio", "mpi")  # of the program's own calls
STREAM_BYTES = (
    4096  # of a call that the C library makes for a stream: its buffer, the block of usual file systems
)
NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Written:
    """Files that are written alike, over a run. ``rounds``: how often such a file (or one for each rank) was written; ``calls``: of the busiest
    process, all rounds together; ``bytes``: of all processes; ``seconds``: of the process that spent most in calls on them."""

    name: str
    way: str
    files: int
    writers: int
    ranks: int
    rounds: int
    calls: int
    bytes: int
    seconds: float


def written(use: FileUse, ranks: int, collective: bool) -> list[Written]:
    """Those with most bytes first. ``ranks``: of the program; ``collective``: whether it writes by MPI's collective calls."""
    families: dict[str, list[UsedFile]] = defaultdict(list)
    for file in use.files:
        if file.type == "regular" and file.bytes_written > 0:
            families[NUMBERS.sub("#", file.path)].append(file)
    found = [_one(family, ranks, collective) for family in families.values()]
    return sorted(found, key=lambda one: -one.bytes)


def _one(family: Sequence[UsedFile], ranks: int, collective: bool) -> Written:
    writers = {process for file in family for process in _writers(file)}
    way = _way(family, len(writers), collective)
    seconds: dict[int, float] = defaultdict(float)
    calls: dict[int, float] = defaultdict(float)
    for one in _uses(family):
        seconds[one.process] += one.seconds
        calls[one.process] += _calls(one)
    return Written(
        name=_name([file.path for file in family]),
        way=way,
        files=len(family),
        writers=len(writers),
        ranks=ranks,
        rounds=_rounds(family, way, len(writers)),
        calls=max(1, round(max(calls.values()))),
        bytes=sum(file.bytes_written for file in family),
        seconds=max(seconds.values()),
    )


def _name(paths: Sequence[str]) -> str:
    """What all are called, with # for numbers that differ."""
    parts = zip(*(NUMBERS.split(path) for path in paths), strict=True)
    return "".join(same[0] if len(set(same)) == 1 else "#" for same in parts)


def _uses(family: Sequence[UsedFile]) -> list[Use]:
    return [one for file in family for one in file.uses if one.layer in LAYERS]


def _writers(file: UsedFile) -> set[int]:
    return {
        one.process for one in file.uses if one.operation == "write" and one.layer in LAYERS and one.bytes
    }


def _calls(one: Use) -> float:
    """Of writing, as the file system sees them: streams gather small ones."""
    if one.operation != "write":
        return 0
    return min(one.calls, -(-one.bytes // STREAM_BYTES)) if one.layer == "stdio" else one.calls


def _way(family: Sequence[UsedFile], writers: int, collective: bool) -> str:
    if max(len(_writers(file)) for file in family) > 1:
        by_mpi = any(one.layer == "mpi" and one.operation == "write" for one in _uses(family))
        return COLLECTIVE if by_mpi and collective else SHARED
    return OWN if writers > 1 else MASTER


def _rounds(family: Sequence[UsedFile], way: str, writers: int) -> int:
    """Openings of the busiest process; at least the files that one writer has."""
    opened: dict[int, int] = defaultdict(int)
    for one in _uses(family):
        if one.operation == "open":
            opened[one.process] += one.calls - one.failed
    files = len(family) / (writers if way == OWN else 1)
    return max(max(opened.values(), default=1), round(files), 1)
