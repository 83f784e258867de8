"""Facts about what cores share from records of the probe ``sharing``; formulas in its README."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from statistics import median
from typing import Any

from hakaru.facts.records import Record, Row

Key = tuple[Any, ...]


def grouped(
    records: Iterable[Record], table: str, columns: tuple[str, ...], value: Callable[[Row], float]
) -> dict[Key, list[float]]:
    """Samples by the values of these columns."""
    found: dict[Key, list[float]] = defaultdict(list)
    for record in records:
        for row in record.rows(table):
            found[tuple(row[name] for name in columns)].append(value(row))
    return dict(found)


def seconds(row: Row) -> float:
    return row["seconds"]


def seen_capacity(latencies: dict[int, float]) -> int | None:
    """The largest working set whose loads still are nearer (in the logarithm) to the latency of the smallest than of the largest set;
    None where the latency does not even double."""
    sizes = sorted(latencies)
    first, last = latencies[sizes[0]], latencies[sizes[-1]]
    if last < 2.0 * first:
        return None
    middle = math.sqrt(first * last)
    seen = sizes[0]
    for size in sizes:
        if latencies[size] > middle:
            break
        seen = size
    return seen


def distil(records: list[Record]) -> dict:
    """``memory.sharing.*`` in s, by what it is about, and ``memory.placement`` where memory is placed.

    ``line``: from core to core, by what they ``shares``, the median over pairs; ``false_sharing`` by ``padding``, ``atomic`` by
    ``operation`` and ``contended``, ``lock`` by ``lock``, each by ``threads``; ``copies``: time of a copy over that of one alone, by
    ``program``, ``bytes`` and ``copies``; ``capacity`` in B that each of ``threads`` gets of the last cache.
    """
    from hakaru.facts.machines import fact

    records = [record for record in records if record.ran]
    if not records:
        return {}
    ids = [record.id for record in records]
    tree: dict[str, Any] = defaultdict(list)

    def add(
        name: str, table: str, columns: tuple[str, ...], where: Callable[[Key], bool] = lambda key: True
    ) -> None:
        for key, samples in grouped(records, table, columns, seconds).items():
            if where(key):
                tree[name].append(fact(samples, "s", ids, **dict(zip(columns, key, strict=True))))

    add("line", "lines", ("shares",))
    add("false_sharing", "false_sharing", ("threads", "padding"))
    add("atomic", "atomics", ("operation", "contended", "threads"))
    add("lock", "locks", ("lock", "threads"))
    for keys, samples in slowdowns(records).items():
        program, size, copies = keys
        tree["copies"].append(fact(samples, "1", ids, program=program, bytes=size, copies=copies))
    for threads, size in capacities(records).items():
        tree["capacity"].append(fact(size, "B", ids, threads=threads))
    memory: dict[str, Any] = {"sharing": dict(tree)} if tree else {}
    if placed := placement(records, ids):
        memory["placement"] = placed
    return {"memory": memory} if memory else {}


def slowdowns(records: list[Record]) -> dict[Key, list[float]]:
    """Time of a pass of each copy over the median of one copy by itself; by (program, bytes, copies)."""
    by_copies = grouped(records, "copies", ("program", "bytes", "copies"), seconds)
    alone = {key[:2]: median(samples) for key, samples in by_copies.items() if key[2] == 1}
    return {
        key: [one / alone[key[:2]] for one in samples]
        for key, samples in sorted(by_copies.items())
        if key[2] > 1 and key[:2] in alone
    }


def capacities(records: list[Record]) -> dict[int, int]:
    """Bytes that each of so many threads gets, where a cache is seen at all."""
    curves: dict[int, dict[int, float]] = defaultdict(dict)
    for (threads, size), samples in grouped(records, "capacity", ("threads", "bytes"), seconds).items():
        curves[threads][size] = median(samples)
    found = {threads: seen_capacity(curve) for threads, curve in sorted(curves.items())}
    return {threads: size for threads, size in found.items() if size is not None}


def placement(records: list[Record], ids: list[str]) -> dict[str, Any]:
    """``latency`` in s and ``bandwidth`` of one core in B/s, from a core's ``own_node`` to the ``node`` that was asked for, or by
    ``policy``; with the ``kind`` of memory."""
    from hakaru.facts.machines import fact

    columns = ("own_node", "node", "policy", "kind")
    facts: dict[str, Any] = {"latency": [], "bandwidth": []}
    values: dict[str, tuple[str, Callable[[Row], float]]] = {
        "latency": ("s", lambda row: row["latency"]),
        "bandwidth": ("B/s", lambda row: row["bytes"] / row["read"]),
    }
    for name, (unit, value) in values.items():
        for key, samples in grouped(records, "placement", columns, value).items():
            about = dict(zip(columns, key, strict=True))
            if about["node"] < 0:
                del about["node"]
            facts[name].append(fact(samples, unit, ids, **about))
    return facts if facts["latency"] else {}
