"""Facts about ways of writing files, from records of the probe ``storage``."""

from collections import defaultdict

from hakaru.facts.records import Record

Rows = list[tuple[int, int, float]]  # calls of a rank, bytes of a call, seconds


def distil(records: list[Record]) -> dict:
    """``storage.ways``: of each ``way`` and ``pattern`` on so many ``ranks``, a file takes open + calls of a rank x call + bytes of all ranks
    / bandwidth. One fit for each file that was written in all amounts; values are medians over files."""
    from hakaru.facts.machines import fact

    ran = [record for record in records if record.ran]
    files: dict[tuple, Rows] = defaultdict(list)
    for record in ran:
        synced = bool(record.parameters.get("sync"))
        for row in record.rows("ways"):
            key = (row["way"], row["pattern"], row["ranks"], synced, record.id, row["file"])
            files[key].append((row["calls"], row["bytes"], row["seconds"]))
    fits: dict[tuple, list[dict[str, float]]] = defaultdict(list)
    for (*about, _, _), rows in files.items():
        if found := fitted(rows, about[2]):
            fits[tuple(about)].append(found)
    ways: dict[str, list] = defaultdict(list)
    for (way, pattern, ranks, synced), found in sorted(fits.items()):
        keys = {"way": way, "pattern": pattern, "ranks": ranks} | ({"synced": "yes"} if synced else {})
        for name, unit in (("open", "s"), ("call", "s"), ("bandwidth", "B/s")):
            ways[name].append(fact([one[name] for one in found], unit, [record.id for record in ran], **keys))
    return {"storage": {"ways": dict(ways)}} if ways else {}


def fitted(rows: Rows, ranks: int) -> dict[str, float] | None:
    """Exact through one call, many small ones, and large ones; None where the amounts do not tell them apart. What would be negative is 0."""
    rows = sorted(rows)
    if len(rows) != 3 or len({(calls, size) for calls, size, _ in rows}) != 3:
        return None
    (_, small, one_s), *others = rows
    (calls, _, many_s), (large_calls, large, large_s) = sorted(others, key=lambda row: row[1])
    # T = open + n call + n s / B, with the ranks' bytes n s; one small call is open + call + s / B.
    # Differences from it leave two equations in call and 1 / B.
    a, b = calls - 1, (calls - 1) * small
    c, d = large_calls - 1, large_calls * large - small
    determinant = a * d - b * c
    if determinant == 0:
        return None
    call_s = ((many_s - one_s) * d - (large_s - one_s) * b) / determinant
    byte_s = (a * (large_s - one_s) - c * (many_s - one_s)) / determinant
    call_s = max(call_s, 0.0)
    byte_s = max(byte_s, 1e-15)
    return {
        "open": max(one_s - call_s - small * byte_s, 0.0),
        "call": call_s,
        "bandwidth": ranks / byte_s,
    }
