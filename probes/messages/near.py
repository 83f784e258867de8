"""Rounds that met the usual of two states of the cores (hakaru.facts.records.nearness), by the empty messages that began them."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from hakaru.facts.records import Record
from hakaru.facts.records.nearness import LEAST, Nearness, usual_state
from hakaru.facts.records.record import Row, Table

PARTS = {
    "pingpong": (
        "pingpong",
        "pingpong_apart",
        "in_pieces",
        "both_ways",
        "apart",
        "persistent",
        "window",
        "post_work_wait",
        "worked_before",
        "row",
        "lagged",
    ),
    "loggp": ("prtt", "receive_overhead", "unexpected_send", "stolen"),
    "collectives": ("collectives",),
}
LONG = "long"  # ping-pongs beyond the longest exchange


def usual_rounds(records: Sequence[Record]) -> list[Record]:
    """The records without the rounds of the rarer state. Parts of which too few rounds met the usual one stay whole, as do records of older
    programs, which did not ask."""
    met = defaultdict(list)
    for record in records:
        for row in record.rows("handover"):
            met[row["other"]].append(row["seconds"])
    usual = {other: state for other, times_s in met.items() if (state := usual_state(times_s))}
    return [_without(record, _rarer(record, usual)) for record in records] if usual else list(records)


def _rarer(record: Record, usual: dict[int, Nearness]) -> set[tuple[str, int, int]]:
    """(part, other rank, repetition) of what met the rarer state."""
    rounds = defaultdict(dict)
    for row in record.rows("handover"):
        if state := usual.get(row["other"]):
            rounds[row["part"], row["other"]][row["repetition"]] = state.contains(row["seconds"])
    return {
        (*place, repetition)
        for place, usually in rounds.items()
        if sum(usually.values()) >= LEAST
        for repetition, kept in usually.items()
        if not kept
    }


def _without(record: Record, rounds: set[tuple[str, int, int]]) -> Record:
    if not rounds:
        return record
    others = {row["pair"]: row["rank_b"] for row in record.rows("pairs")}
    longest = max((row["bytes"] for row in record.rows("both_ways")), default=0)
    parts = {table: part for part, tables in PARTS.items() for table in tables}

    def place(table: str, row: Row) -> tuple[str, int, int]:
        part = LONG if table == "pingpong" and row["bytes"] > longest else parts[table]
        return part, row["ranks"] - 1 if "ranks" in row else others[row["pair"]], row["repetition"]

    def kept(table: Table) -> Table:
        if table.name not in parts:
            return table
        rows = zip(table.rows, table.as_dicts(), strict=True)
        return msgspec.structs.replace(
            table, rows=tuple(row for row, named in rows if place(table.name, named) not in rounds)
        )

    return msgspec.structs.replace(record, tables=tuple(map(kept, record.tables)))
