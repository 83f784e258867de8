"""Facts about file systems from records of the probe ``files``; what the page cache gave is no fact of a disk."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from hakaru.facts.records import Record, Row

SMALL_BYTES = 4096  # of a rank: what an operation costs
COLD = 0.05  # largest share of a file in memory that still counts as read from the device
ONE_FILE = ("independent", "collective")  # ways of MPI-IO, which programs of ours use


def reach(record: Record) -> str:
    """local, shared or memory."""
    return next((row["reach"] for row in record.rows("places")), "")


def samples_of(
    records: list[Record], table: str, value: Callable[[Row], float | None]
) -> dict[tuple[str, int, int, int], list[float]]:
    """Values by way, blocks, ranks and bytes of all ranks; None is left out."""
    found: dict[tuple[str, int, int, int], list[float]] = defaultdict(list)
    for record in records:
        for row in record.rows(table):
            one = value(row)
            if one is not None:
                found[row["way"], row["blocks"], row["ranks"], row["bytes"]].append(one)
    return dict(found)


def written(row: Row) -> float:
    """B/s down to the device."""
    return row["bytes"] / row["synced"]


def read_cold(row: Row) -> float | None:
    """B/s where the page cache held nothing of the file."""
    return row["bytes"] / row["seconds"] if row["from"] == "device" and row["resident"] <= COLD else None


def is_small(key: tuple[str, int, int, int]) -> bool:
    return key[3] <= SMALL_BYTES * key[2]


def plain(samples: dict[tuple[str, int, int, int], list[float]]) -> list[float]:
    """The samples that speak for the file system: contiguous data to one file by MPI-IO, from the most ranks, independent first."""
    usable = {
        key: values
        for key, values in samples.items()
        if key[0] in ONE_FILE and key[1] == 1 and not is_small(key)
    }
    if not usable:
        return []
    return usable[min(usable, key=lambda key: (-key[2], -key[3], ONE_FILE.index(key[0])))]


def distil(records: list[Record]) -> dict:
    """``storage.local`` or ``storage.shared``: ``write_bandwidth`` with the flush to the device and ``read_bandwidth`` with an empty
    page cache in B/s of all ranks, ``operation`` in s (a flushed write of 4096 bytes a rank); ``write_by_way``, ``read_by_way``,
    by ``way``, ``blocks`` and ``ranks``; ``create``, ``stat``, ``delete`` in s a file. Nothing of a file system without a disk.
    """
    records = [record for record in records if record.ran]
    tree: dict[str, Any] = {}
    for place in ("local", "shared"):
        own = [record for record in records if reach(record) == place]
        if facts := of_place(own):
            tree[place] = facts
    return {"storage": tree} if tree else {}


def of_place(records: list[Record]) -> dict[str, Any]:
    from hakaru.facts.machines import fact

    if not records:
        return {}
    ids = [record.id for record in records]
    systems = sorted({row["file_system"] for record in records for row in record.rows("places")})
    note = {"note": f"on {', '.join(systems)}; the page cache is no part of it"}
    facts: dict[str, Any] = {}
    for name, table, value in (("write", "writes", written), ("read", "reads", read_cold)):
        samples = samples_of(records, table, value)
        if best := plain(samples):
            facts[f"{name}_bandwidth"] = fact(best, "B/s", ids, **note)
        facts[f"{name}_by_way"] = [
            fact(values, "B/s", ids, way=way, blocks=blocks, ranks=ranks)
            for (way, blocks, ranks, size), values in sorted(samples.items())
            if not is_small((way, blocks, ranks, size))
        ]
    seconds = samples_of(records, "writes", lambda row: row["synced"])
    operations = [
        values for key, values in sorted(seconds.items()) if is_small(key) and key[0] == ONE_FILE[0]
    ]
    if operations:
        facts["operation"] = fact(operations[-1], "s", ids, **note)
    by_operation: dict[str, list[float]] = defaultdict(list)
    for record in records:
        for row in record.rows("metadata"):
            by_operation[row["operation"]].append(row["seconds"])
    facts |= {name: fact(values, "s", ids) for name, values in by_operation.items()}
    return {name: value for name, value in facts.items() if value}
