"""Facts about formatted files from records of the probe ``formatted_io``; what a disk costs is the probe ``files``'s."""

from collections import defaultdict
from typing import Any

from hakaru.facts.records import Record, Row

WRITE, READ = "write", "read"
CALLS, CONTROL, EDITING, CONVERSION = (
    "system calls",
    "statement control and format",
    "data editing",
    "data conversion",
)
PROXY = {WRITE: "snprintf", READ: "strtod"}  # of the C library, which a Fortran library uses or must equal

Key = tuple[Any, ...]
Samples = dict[Key, list[float]]


def samples_of(records: list[Record], table: str, *columns: str) -> Samples:
    """Seconds by the values of ``columns``."""
    found: Samples = defaultdict(list)
    for record in records:
        for row in record.rows(table):
            found[tuple(row[one] for one in columns)].append(per_item(row))
    return dict(found)


def per_item(row: Row) -> float:
    return row["seconds"] / row["items"]


def parts(records: list[Record], direction: str) -> dict[str, list[float]]:
    """Seconds of an item by part of Fortran's library, sample by sample: differences of the probe's steps. Empty without them."""
    steps: dict[str, list[float]] = defaultdict(list)
    sizes: dict[str, float] = {}
    for record in records:
        for row in record.rows("steps"):
            if row["direction"] == direction:
                steps[row["step"]].append(per_item(row))
                sizes[row["step"]] = row["bytes"] / row["items"]
    converted = samples_of(records, "conversions", "by", "direction").get((PROXY[direction], direction), [])
    if not {"text", "characters", "calls"} <= set(steps) or not converted:
        return {}
    share = sizes["characters"] / sizes["text"]
    found: dict[str, list[float]] = defaultdict(list)
    for text, characters, calls, conversion in zip(
        steps["text"], steps["characters"], steps["calls"], converted, strict=False
    ):
        control = characters - share * calls
        found[CALLS].append(calls)
        found[CONTROL].append(control)
        found[CONVERSION].append(conversion)
        found[EDITING].append(text - calls - control - conversion)
    return dict(found)


def distil(records: list[Record]) -> dict:
    """``storage.formatted``: ``write`` and ``read`` in s an item by ``language``, ``by`` (its library), ``form``, ``type`` and ``file_system``,
    with the library's own buffer and without the flush; ``conversion`` in s a number in memory; ``part`` of Fortran's library in s an item of real*8.
    """
    from hakaru.facts.machines import fact

    records = [record for record in records if record.ran]
    ids = [record.id for record in records]
    tree: dict[str, Any] = {}
    names = ("language", "by", "form", "type", "file_system", "buffer")
    for direction in (WRITE, READ):
        tree[direction] = [
            fact(values, "s", ids, **dict(zip(names[:-1], key[:-1], strict=True)))
            for key, values in samples_of(records, f"{direction}s", *names).items()
            if key[-1] == 0
        ]
    tree["conversion"] = [
        fact(values, "s", ids, by=by, direction=direction)
        for (by, direction), values in samples_of(records, "conversions", "by", "direction").items()
    ]
    tree["part"] = [
        fact(values, "s", ids, part=part, direction=direction)
        for direction in (WRITE, READ)
        for part, values in parts(records, direction).items()
    ]
    tree = {name: values for name, values in tree.items() if values}
    return {"storage": {"formatted": tree}} if tree else {}
