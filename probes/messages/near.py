"""Rounds that met the usual of two states of the cores (hakaru.facts.records.nearness), by the empty messages that began them."""

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

Place = tuple[str, int]  # part, other rank
Rounds = dict[Place, dict[int, bool]]  # by repetition, whether the state was the usual one


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
    rounds = [_rounds(record, usual) for record in records]
    enough = Counter()
    for each in rounds:
        enough.update({place: sum(kept.values()) for place, kept in each.items()})
    return [_without(record, _left_out(each, enough)) for record, each in zip(records, rounds, strict=True)]


def _rounds(record: Record, usual: dict[int, Nearness]) -> Rounds:
    found = defaultdict(dict)
    for row in record.rows(ASKED):
        if state := usual.get(row["other"]):
            found[row["part"], row["other"]][row["repetition"]] = state.contains(row["seconds"])
    return found


def _left_out(rounds: Rounds, enough: Counter[Place]) -> set[tuple[str, int, int]]:
    """(part, other rank, repetition) of what met another state, where enough of all records met the usual one."""
    return {
        (*place, repetition)
        for place, usually in rounds.items()
        if enough[place] >= LEAST
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
