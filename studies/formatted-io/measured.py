"""What the records of the probe say, in the terms of the publication."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from types import ModuleType

from hakaru.facts.records import Record, Row

FORMATTED, UNFORMATTED = "formatted", "unformatted"
FOLDER = "folder"  # the first place of the probe
REAL8 = "real*8"


@dataclass(frozen=True)
class Measured:
    """``writes`` and ``reads``: rows with the libraries' own buffers; ``others``: rows with a chosen one. ``parts``: seconds an item by
    direction and part of Fortran's library; ``calls``: the name of the part that is the system's."""

    writes: Sequence[Row]
    reads: Sequence[Row]
    others: Sequence[Row]
    parts: dict[str, dict[str, list[float]]]
    calls: str

    def rows(self, direction: str) -> Sequence[Row]:
        return self.writes if direction == "write" else self.reads

    def text_bytes(self, kind: str, items: int) -> set[int]:
        """Sizes of the texts of so many items, by whomever."""
        return {
            row["bytes"]
            for row in self.writes
            if row["form"] == FORMATTED and row["type"] == kind and row["items"] == items
        }

    def ways(self) -> list[tuple[str, str, str]]:
        """Language, library and form, in the probe's order."""
        return list(dict.fromkeys((row["language"], row["by"], row["form"]) for row in self.writes))

    def selected(
        self,
        direction: str,
        language: str,
        kind: str,
        by: str = "",
        form: str = FORMATTED,
        place: str = FOLDER,
    ) -> list[Row]:
        return [
            row
            for row in self.rows(direction)
            if (row["language"], row["type"], row["form"], row["place"]) == (language, kind, form, place)
            and by in ("", row["by"])
        ]

    def per_item(
        self,
        direction: str,
        language: str,
        kind: str,
        by: str = "",
        form: str = FORMATTED,
        place: str = FOLDER,
    ) -> float | None:
        """Median seconds of an item; None where it was not measured."""
        rows = self.selected(direction, language, kind, by, form, place)
        return median(row["seconds"] / row["items"] for row in rows) if rows else None

    def user_share(self, language: str) -> float | None:
        """Of the processor time of writing real*8 as text, in the first folder."""
        rows = self.selected("write", language, REAL8)
        used = sum(row["user"] + row["system"] for row in rows)
        return sum(row["user"] for row in rows) / used if used else None

    def statement_share(self, language: str) -> float | None:
        """Time of the statements over that of statements and flushes."""
        rows = self.selected("write", language, REAL8)
        both = sum(row["seconds"] + row["flush"] for row in rows)
        return sum(row["seconds"] for row in rows) / both if both else None

    def part_shares(self, direction: str) -> dict[str, float]:
        """Of the library's time without system calls; empty without Fortran."""
        own = {part: median(values) for part, values in self.parts[direction].items() if part != self.calls}
        whole = sum(own.values())
        return {part: value / whole for part, value in own.items()} if own else {}


def of_records(records: Iterable[Record], distiller: ModuleType) -> Measured:
    records = [one for one in records if one.ran]
    writes = [row for one in records for row in one.rows("writes")]
    reads = [row for one in records for row in one.rows("reads")]
    return Measured(
        [row for row in writes if not row["buffer"]],
        [row for row in reads if not row["buffer"]],
        [row for row in writes if row["buffer"]],
        {direction: distiller.parts(records, direction) for direction in ("write", "read")},
        distiller.CALLS,
    )
