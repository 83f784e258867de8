"""Facts about PUT and GET from records of the probe ``putget``; formulas in its README."""

from collections import defaultdict

import numpy as np

from hakaru.facts.machines.launches import by_launch, measures_messages
from hakaru.facts.records import table_rows

KINDS = ("put", "get", "put_stride", "get_stride", "flagged_put", "ring")
LATENCY_BYTES = 8


def _level(record: dict) -> str | None:
    return next((row["level"] for row in table_rows(record, "pairs")), None)


def overlap_attained(alone_s: float, compute_s: float, together_s: float) -> float:
    """(a + c - t) / min(a, c), within 0 and 1."""
    return float(np.clip((alone_s + compute_s - together_s) / min(alone_s, compute_s), 0.0, 1.0))


def _of_kind(records: list[dict], table: str, value) -> dict[tuple[str, int], list[list[float]]]:
    """(kind, bytes) -> one list of samples a record."""
    found: dict = defaultdict(lambda: [[] for _ in records])
    for index, record in enumerate(records):
        for row in table_rows(record, table):
            found[row["kind"], row["bytes"]][index].append(value(row))
    return found


def _facts(records: list[dict]) -> dict:
    from hakaru.facts.machines import fact

    identities = [record["id"] for record in records]
    seconds = _of_kind(records, "transfers", lambda row: row["seconds"])
    shares = _of_kind(
        records,
        "overlap",
        lambda row: overlap_attained(row["alone_s"], row["compute_s"], row["together_s"]),
    )
    facts: dict = {}
    if flags := seconds.get(("flagged_put", LATENCY_BYTES)):
        facts["put_latency"] = fact(by_launch(flags), "s", identities, note="half a round trip, 8 B, flags")
    for kind, size in sorted(seconds):
        if kind in KINDS:
            entry = fact(by_launch(seconds[kind, size]), "s", identities, bytes=size)
            facts.setdefault(kind, []).append(entry)
    for kind, size in sorted(shares):
        entry = fact(by_launch(shares[kind, size]), "1", identities, bytes=size)
        facts.setdefault(f"{kind}_overlap", []).append(entry)
    return facts


def distil(records: list[dict]) -> dict:
    """``{"network": {level: facts}}`` of all records whose ranks had a processor each; may be empty."""
    by_level = defaultdict(list)
    for record in records:
        if measures_messages(record) and (level := _level(record)):
            by_level[level].append(record)
    network = {level: facts for level, own in sorted(by_level.items()) if (facts := _facts(own))}
    return {"network": network} if network else {}
