"""What a schedule's timed part does, per rank: messages, global operations and barriers, as tables of communication count them."""

from collections import Counter

from hakaru.facts.schedules.schedule import Operation, Schedule

SCALAR_BYTES = 16  # global operations on at most so many bytes are on scalars
COUNTS = ("send", "gop", "vgop", "sync", "put", "puts", "get", "gets")
_REDUCTIONS = ("allreduce", "reduce", "broadcast")


def count(schedule: Schedule) -> dict[str, float]:
    """Means over ranks of ``COUNTS``, and ``message_size``: mean bytes of a PUT or GET (0 without any). ``puts``, ``gets`` have a stride."""
    total: Counter[str] = Counter()
    for stream in schedule.streams:
        for operation, times in stream.timed():
            for name, amount in _of(operation, schedule).items():
                total[name] += stream.sharing * times * amount
    moved = sum(total[name] for name in ("put", "puts", "get", "gets"))
    means = {name: total[name] / schedule.ranks for name in COUNTS}
    return means | {"message_size": total["bytes"] / moved if moved else 0.0}


def _of(operation: Operation, schedule: Schedule) -> dict[str, int]:
    do, size = operation.do, operation.bytes or 0
    if do in ("send", "isend"):
        return {"send": 1}
    if do == "barrier":
        return {"sync": 1}
    if do in _REDUCTIONS:
        return {"gop" if size <= SCALAR_BYTES else "vgop": 1}
    if do in ("put", "get"):
        return {do + ("s" if schedule.is_strided(operation) else ""): 1, "bytes": size}
    return {}
