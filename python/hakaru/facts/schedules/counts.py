"""What a schedule's timed part does, per rank: messages, global operations and barriers, as tables of communication count them."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

PART = "repetition"
SCALAR_BYTES = 16  # global operations on at most so many bytes are on scalars
COUNTS = ("send", "gop", "vgop", "sync", "put", "puts", "get", "gets")
_REDUCTIONS = ("allreduce", "reduce", "broadcast")


def count(schedule: dict[str, Any]) -> dict[str, float]:
    """Means over ranks of ``COUNTS``, and ``message_size``: mean bytes of a PUT or GET (0 without any). ``puts``, ``gets`` have a stride."""
    total: Counter[str] = Counter()
    for stream in schedule["streams"]:
        members = sum(len(range(first, last + step, step)) for first, last, step in stream["ranks"])
        for operation, times in timed(stream["operations"]):
            for name, amount in _of(operation, schedule["lists"]).items():
                total[name] += members * times * amount
    moved = sum(total[name] for name in ("put", "puts", "get", "gets"))
    means = {name: total[name] / schedule["ranks"] for name in COUNTS}
    return means | {"message_size": total["bytes"] / moved if moved else 0.0}


def timed(operations: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], int]]:
    """Operations inside the region ``repetition`` with how often they are done; all where there is no such region."""
    whole = not any(one["do"] == "begin" and one.get("phase") == PART for one in operations)
    inside = whole
    for one in operations:
        if one["do"] in ("begin", "end") and one.get("phase") == PART:
            inside = one["do"] == "begin"
        elif inside:
            yield from _unfolded(one, 1)


def _unfolded(operation: dict[str, Any], times: int) -> Iterator[tuple[dict[str, Any], int]]:
    if "operations" not in operation:
        yield operation, times
        return
    for inner in operation["operations"]:  # of a loop, or of a thread
        yield from _unfolded(inner, times * operation.get("times", 1))


def _of(operation: dict[str, Any], lists: list[list[int]]) -> dict[str, int]:
    do, size = operation["do"], operation.get("bytes", 0)
    if do in ("send", "isend"):
        return {"send": 1}
    if do == "barrier":
        return {"sync": 1}
    if do in _REDUCTIONS:
        return {"gop" if size <= SCALAR_BYTES else "vgop": 1}
    if do in ("put", "get"):
        return {do + ("s" if strided(operation, lists) else ""): 1, "bytes": size}
    return {}


def strided(operation: dict[str, Any], lists: list[list[int]]) -> bool:
    """Whether a put or get has a stride; ``lists`` are the schedule's."""
    return "list" in operation and lists[operation["list"]][1] > 0
