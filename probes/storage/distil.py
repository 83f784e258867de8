"""Facts about ways of writing files, from records of the probe ``storage``."""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from statistics import median, quantiles

from hakaru.facts.records import Record

Rows = list[tuple[int, int, float]]  # calls of a rank, bytes of a call, seconds
Files = list[dict[tuple[int, int], float]]  # seconds by calls of a rank and bytes of a call, of each file
UNITS = {"open": "s", "call": "s", "bandwidth": "B/s"}
RESAMPLES = 400
LEAST_BYTE_S = 1e-12  # of a rank: no memory is faster


def distil(records: list[Record]) -> dict:
    """``storage.ways``: of each ``way`` and ``pattern`` on so many ``ranks``, a file takes open + calls of a rank x call + bytes of all ranks
    / bandwidth: through the medians over files of each amount; intervals by a bootstrap over files."""
    from hakaru.facts.machines import fact

    ways: dict[str, list] = defaultdict(list)
    for (way, pattern, ranks, synced), (files, identities) in sorted(_files(records).items()):
        if (value := _fit(files, ranks)) is None:
            continue
        draw = Random(1)
        again = [_fit(draw.choices(files, k=len(files)), ranks) for _ in range(RESAMPLES)]
        keys = {"way": way, "pattern": pattern, "ranks": ranks} | ({"synced": "yes"} if synced else {})
        for name, unit in UNITS.items():
            low, high = _ends([one[name] for one in again], value[name])
            ways[name].append(fact(value[name], unit, sorted(identities), low=low, high=high, **keys))
    return {"storage": {"ways": dict(ways)}} if ways else {}


def _files(records: list[Record]) -> dict[tuple, tuple[Files, set[str]]]:
    """By way, pattern, ranks and whether the disk was waited for: files, and the records that they are of."""
    found: dict[tuple, dict] = defaultdict(lambda: defaultdict(dict))
    for record in (record for record in records if record.ran):
        synced = bool(record.parameters.get("sync"))
        for row in record.rows("ways"):
            about = (row["way"], row["pattern"], row["ranks"], synced)
            found[about][record.id, row["file"]][row["calls"], row["bytes"]] = row["seconds"]
    return {about: (list(files.values()), {key[0] for key in files}) for about, files in found.items()}


def _fit(files: Files, ranks: int) -> dict[str, float] | None:
    amounts = sorted({amount for one in files for amount in one})
    middle = [(*amount, median(one[amount] for one in files if amount in one)) for amount in amounts]
    return fitted(middle, ranks)


def _ends(samples: Sequence[float], value: float) -> tuple[float, float]:
    """The middle 95 %, and the value in it."""
    cuts = quantiles(samples, n=40)
    return min(cuts[0], value), max(cuts[-1], value)


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
    byte_s = max(byte_s, LEAST_BYTE_S)
    return {
        "open": max(one_s - call_s - small * byte_s, 0.0),
        "call": call_s,
        "bandwidth": ranks / byte_s,
    }
