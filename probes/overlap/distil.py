"""Facts about overlap from records of the probe ``overlap``; formulas in its README."""

from collections import defaultdict

import numpy as np

from hakaru.facts.machines.by_launch import by_launch, measures_messages
from hakaru.facts.records import Record

WAYS = ("blocking", "nonblocking", "persistent", "put")
DOUBLE_BYTES = 8
MOVED_WHILE = {"sender": "moved_while_sending", "receiver": "moved_while_receiving"}
NOT_MOVED, MOVED = 0.2, 0.6  # parts of a message: at most, at least


def hidden(alone_s: float, work_s: float, together_s: float) -> float:
    """1 - (t - w) / m within 0 and 1: of messages that take m alone, the part that work of w hid when both took t."""
    return float(np.clip(1.0 - (together_s - work_s) / alone_s, 0.0, 1.0)) if alone_s > 0.0 else 1.0


def moved(alone_s: float, wait_s: float) -> float:
    """1 - wait / alone within 0 and 1: the part of a message that moved while the program computed."""
    return float(np.clip(1.0 - wait_s / alone_s, 0.0, 1.0)) if alone_s > 0.0 else 1.0


def _level(record: Record, ranks: int) -> str:
    return next((row["level"] for row in record.rows("levels") if row["ranks"] == ranks), "core")


def _hidden_samples(record: Record) -> dict[tuple[int, str, int], list[float]]:
    """(ranks, way, n) -> one sample a repetition."""
    seconds = {
        (row["ranks"], row["n"], row["repetition"], row["way"], row["loaded"]): row["seconds"]
        for row in record.rows("program")
    }
    found = defaultdict(list)
    for ranks, n, repetition, way, loaded in seconds:
        point = (ranks, n, repetition)
        parts = [seconds.get((*point, *key)) for key in ((way, 0), ("none", 1), (way, 1))]
        if loaded and way in WAYS and None not in parts:
            found[ranks, way, n].append(hidden(*parts))
    return dict(found)


def distil(records: list[Record]) -> dict:
    """``{"network": {level: facts}}`` of all records whose ranks had a processor each; may be empty.

    ``hidden`` by way, bytes and ranks: the part of the messages' time that work hid; ``moved_while_sending`` and
    ``moved_while_receiving`` by bytes and calls of MPI_Test: the part that moved while that side computed; where none
    does without calls, and most with them, a note says so.
    """
    from hakaru.facts.machines import fact

    usable = [record for record in records if measures_messages(record)]
    ids = [record.id for record in usable]
    shares: dict = defaultdict(lambda: [[] for _ in usable])
    moving: dict = defaultdict(lambda: [[] for _ in usable])
    for index, record in enumerate(usable):
        for (ranks, way, n), samples in _hidden_samples(record).items():
            shares[_level(record, ranks), ranks, way, DOUBLE_BYTES * n][index] += samples
        level = _level(record, record.ranks)
        for row in record.rows("progress"):
            key = (level, row["side"], row["bytes"], row["tests"])
            moving[key][index].append(moved(row["alone_s"], row["wait_s"]))
    network: dict = defaultdict(lambda: defaultdict(list))
    for (level, ranks, way, size), launches in sorted(shares.items()):
        entry = fact(by_launch(launches), "1", ids, way=way, bytes=size, ranks=ranks)
        network[level]["hidden"].append(entry)
    for (level, side, size, tests), launches in sorted(moving.items()):
        entry = fact(by_launch(launches), "1", ids, bytes=size, tests=tests)
        network[level][MOVED_WHILE[side]].append(entry)
    for facts in network.values():
        for name in MOVED_WHILE.values():
            _note(facts.get(name, []))
    found = {level: dict(facts) for level, facts in sorted(network.items())}
    return {"network": found} if found else {}


def _note(entries: list[dict]) -> None:
    """Says of a size whose messages stand still while nobody calls MPI that calls of MPI_Test move them, or do not."""
    by_size = defaultdict(dict)
    for entry in entries:
        by_size[entry["bytes"]][entry["tests"]] = entry
    for own in by_size.values():
        still, called = own.get(0), [entry for tests, entry in own.items() if tests > 0]
        if still is None or not called or still["high"] > NOT_MOVED:
            continue
        helped = called[-1]["low"] > MOVED
        still["note"] = "MPI does not move it without calls; " + (
            "MPI_Test within the computing does" if helped else "MPI_Test within the computing hardly helps"
        )
