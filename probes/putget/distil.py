"""Facts about PUT and GET from records of the probe ``putget``; formulas in its README."""

from collections import defaultdict

import numpy as np

from hakaru.facts.machines.by_launch import measures_messages, over_launches
from hakaru.facts.records import Record

KINDS = ("put", "get", "put_stride", "get_stride", "flagged_put", "ring")
LATENCY_BYTES = 8
TRAIN = 16  # accesses of a train


def _level(record: Record) -> str | None:
    return next((row["level"] for row in record.rows("pairs")), None)


def overlap_attained(alone_s: float, compute_s: float, together_s: float) -> float:
    """(a + c - t) / min(a, c), within 0 and 1."""
    return float(np.clip((alone_s + compute_s - together_s) / min(alone_s, compute_s), 0.0, 1.0))


def _of_kind(records: list[Record], table: str, value) -> dict[tuple[str, int], list[list[float]]]:
    """(kind, bytes) -> one list of samples a record."""
    found: dict = defaultdict(lambda: [[] for _ in records])
    for index, record in enumerate(records):
        for row in record.rows(table):
            found[row["kind"], row["bytes"]][index].append(value(row))
    return found


def _facts(records: list[Record]) -> dict:
    identities = [record.id for record in records]
    seconds = _of_kind(records, "transfers", lambda row: row["seconds"])
    shares = _of_kind(
        records,
        "overlap",
        lambda row: overlap_attained(row["alone_s"], row["compute_s"], row["together_s"]),
    )
    facts: dict = {}
    if flags := seconds.get(("flagged_put", LATENCY_BYTES)):
        facts["put_latency"] = over_launches(flags, "s", identities, note="half a round trip, 8 B, flags")
    for kind, size in sorted(seconds):
        if kind in KINDS:
            entry = over_launches(seconds[kind, size], "s", identities, bytes=size)
            facts.setdefault(kind, []).append(entry)
    for kind, size in sorted(shares):
        entry = over_launches(shares[kind, size], "1", identities, bytes=size)
        facts.setdefault(f"{kind}_overlap", []).append(entry)
    return facts


def _pieces(records: list[Record]) -> list[dict]:
    """By which a byte of a put of just computed data takes longer out of pieces with gaps between them, of the same repetition."""
    found: dict = defaultdict(lambda: [[] for _ in records])
    for index, record in enumerate(records):
        whole_s = {(row["bytes"], row["repetition"]): row["plain_s"] for row in record.rows("new_puts")}
        for row in record.rows("new_puts_in_items"):
            longer_s = row["seconds"] - whole_s[row["bytes"], row["repetition"]]
            found[row["bytes"], row["item_bytes"]][index].append(max(longer_s, 0.0) / row["bytes"])
    identities = [record.id for record in records]
    return [
        over_launches(samples, "s/B", identities, bytes=size, piece_bytes=piece)
        for (size, piece), samples in sorted(found.items())
    ]


def _mpi_facts(records: list[Record]) -> dict:
    """MPI's own operations: ``access`` by window, kind and bytes, in parts (``call``: of the processor; ``gap``: from one to the next of
    many; ``done``: from the end of the call until a flush knows it complete; ``new``: by which the call takes longer to data that were just
    computed; ``flag``: and by which it does where it raises a flag, in allocated windows; ``apart``: and when the one before has been
    done), and ``epoch`` by window and kind."""
    identities = [record.id for record in records]
    epochs: dict = defaultdict(lambda: [[] for _ in records])
    parts: dict = defaultdict(lambda: [[] for _ in records])
    for index, record in enumerate(records):
        flush = defaultdict(dict)
        for row in record.rows("epochs"):
            epochs[row["window"], row["epoch"]][index].append(row["seconds"])
            if row["epoch"] == "flush":
                flush[row["window"]][row["repetition"]] = row["seconds"]
        for row in record.rows("accesses"):
            key = (row["window"], row["access"], row["bytes"])
            flush_s = flush[row["window"]].get(row["repetition"], 0.0)
            gap_s = (row["train_s"] - row["single_s"]) / (TRAIN - 1)
            found = {
                "call": row["call_s"],
                "gap": max(gap_s, row["call_s"]),
                "done": max(row["single_s"] - row["call_s"] - flush_s, 0.0),
            }
            if "new_s" in row:  # probes before 2026-11-29 do not say it
                found["new"] = max(row["new_s"] - row["call_s"], 0.0)
            if "apart_s" in row:
                found["apart"] = row["apart_s"] - row["call_s"]
            for part, seconds in found.items():
                parts[*key, part][index].append(seconds)
        for row in record.rows("new_puts"):
            longer_s = max(row["flagged_s"] - row["plain_s"], 0.0)
            parts["allocated", "put", row["bytes"], "flag"][index].append(longer_s)
    facts: dict = {"put_pieces": pieces} if (pieces := _pieces(records)) else {}
    for (window, access, size, part), launches in sorted(parts.items()):
        keys = {"window": window, "access": access, "part": part, "bytes": size}
        facts.setdefault("access", []).append(over_launches(launches, "s", identities, **keys))
    for (window, epoch), launches in sorted(epochs.items()):
        keys = {"window": window, "epoch": epoch}
        facts.setdefault("epoch", []).append(over_launches(launches, "s", identities, **keys))
    return facts


def distil(records: list[Record]) -> dict:
    """``{"network": {level: facts}}`` of all records whose ranks had a processor each; may be empty."""
    by_level = defaultdict(list)
    for record in records:
        if measures_messages(record) and (level := _level(record)):
            by_level[level].append(record)
    network = {
        level: facts for level, own in sorted(by_level.items()) if (facts := _facts(own) | _mpi_facts(own))
    }
    return {"network": network} if network else {}
