"""Rounds that met the usual of two states of the cores (hakaru.facts.records.nearness), by the empty messages that began them."""

import operator
from collections import Counter, defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

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
ASKED = "handover"  # the table of those messages
LONG = "long"  # ping-pongs beyond the longest exchange


def usual_rounds(records: Sequence[Record], near: bool | None = None) -> list[Record]:
    """The records without the rounds of the rarer state, or of the one that is not asked for. Parts of which too few rounds of all records
    met the other stay whole, as do records of older programs, which did not ask."""
    met = defaultdict(list)
    for record in records:
        for row in record.rows(ASKED):
            met[row["other"]].append(row["seconds"])
    usual = {other: state for other, times_s in met.items() if (state := usual_state(times_s))}
    if near is not None:
        usual = {other: replace(state, near=near) for other, state in usual.items()}
    others = [_others(record, usual) for record in records]
    enough = Counter()
    for rounds in others:
        enough.update({place: sum(map(operator.not_, met.values())) for place, met in rounds.items()})
    return [
        _without(
            record,
            {
                (*place, repetition)
                for place, met in rounds.items()
                if enough[place] >= LEAST
                for repetition, other in met.items()
                if other
            },
        )
        for record, rounds in zip(records, others, strict=True)
    ]


def _others(record: Record, usual: dict[int, Nearness]) -> dict[tuple[str, int], dict[int, bool]]:
    """(part, other rank) -> repetition -> whether it met another state."""
    rounds = defaultdict(dict)
    for row in record.rows(ASKED):
        if state := usual.get(row["other"]):
            rounds[row["part"], row["other"]][row["repetition"]] = not state.contains(row["seconds"])
    return rounds


def _without(record: Record, rounds: set[tuple[str, int, int]]) -> Record:
    if not rounds:
        return record
    others = {row["pair"]: row["rank_b"] for row in record.rows("pairs")}
    longest = max((row["bytes"] for row in record.rows("both_ways")), default=0)
    parts = {table: part for part, tables in PARTS.items() for table in tables}

    def place(table: str, row: Row) -> tuple[str, int, int]:
        if table == ASKED:
            return row["part"], row["other"], row["repetition"]
        part = LONG if table == "pingpong" and row["bytes"] > longest else parts[table]
        return part, row["ranks"] - 1 if "ranks" in row else others[row["pair"]], row["repetition"]

    def kept(table: Table) -> Table:
        if table.name not in parts and table.name != ASKED:
            return table
        rows = zip(table.rows, table.as_dicts(), strict=True)
        return replace(
            table, rows=tuple(row for row, named in rows if place(table.name, named) not in rounds)
        )

    return replace(record, tables=tuple(map(kept, record.tables)))
