"""The page of the study."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts.records import Record
from hakaru.studies.result import Row, Section
from hakaru.studies.shown import number

from .measured import FORMATTED, REAL8, UNFORMATTED, Measured

TYPES = ("integer*4", "real*4", "real*8", "complex*8", "complex*16")


def sections(
    found: Measured, records: Sequence[Record], rows: Sequence[Row], failures: Mapping[str, UserError]
) -> list[Section]:
    return [
        sizes(rows),
        beside(rows),
        parts(found),
        *(times(found, direction) for direction in ("write", "read")),
        unformatted(found),
        places(found),
        buffers(records),
        conversions(records),
        returned(records),
        missing(records, failures),
    ]


def sizes(rows: Sequence[Row]) -> Section:
    lines = [
        [row.id.removeprefix("bytes/"), number(row.published), f"{row.ours:.0f}"]
        for row in rows
        if row.id.startswith("bytes/") and row.ours is not None
    ]
    words = ["Bytes of the text of 7,500,000 items, the same in all languages."]
    return Section("File sizes", words, [], ["type", "published, B", "here, B"], lines)


def beside(rows: Sequence[Row]) -> Section:
    lines = [
        [
            row.id,
            *(
                units.quantity(value, row.unit) if value is not None else ""
                for value in (row.published, row.ours)
            ),
        ]
        for row in rows
        if not row.id.startswith("bytes/") and row.ours is not None
    ]
    words = [
        "Shares of Fortran writing real*8: of processor time, of the statement beside the flush, and of the library's parts. "
        "Times of the whole array stand beside PRIMERGY's (3.0 GHz, 2006)."
    ]
    return Section("Shares and times", words, [], ["what", "published", "here"], lines)


def parts(found: Measured) -> Section:
    names = list(dict.fromkeys(part for own in found.parts.values() for part in own))
    lines = [
        [
            part,
            *(
                units.seconds(median(own[part])) if part in own else ""
                for own in (found.parts["write"], found.parts["read"])
            ),
        ]
        for part in names
    ]
    words = ["Time of an item of real*8 by part of Fortran's library, from differences of statements."]
    return Section("Parts of the library", words, [], ["part", "write", "read"], lines)


def cell(value: float | None) -> str:
    return "" if value is None else units.seconds(value)


def times(found: Measured, direction: str) -> Section:
    lines = []
    for language, by, form in found.ways():
        if form == FORMATTED:
            values = [found.per_item(direction, language, kind, by) for kind in TYPES]
            if any(value is not None for value in values):
                lines.append([language, by, *map(cell, values)])
    title = "Time to write an item as text" if direction == "write" else "Time to read an item from text"
    words = ["In the first folder, without the flush; reads come out of the page cache."]
    return Section(title, words, [], ["language", "by", *TYPES], lines)


def unformatted(found: Measured) -> Section:
    """Text against bytes, real*8: the publication's advice is to write without a format."""
    lines = []
    for language, by, form in found.ways():
        if form == UNFORMATTED:
            values = [
                found.per_item(direction, language, REAL8, by, UNFORMATTED) for direction in ("write", "read")
            ]
            text = [beaten(found, direction, language, by) for direction in ("write", "read")]
            ratios = [
                number(whole / value) if whole is not None and value else ""
                for whole, value in zip(text, values, strict=True)
            ]
            lines.append([language, by, *map(cell, values), *ratios])
    words = [
        "Unformatted real*8, an item; how many times longer text takes by the same library, or by the language's fastest."
    ]
    columns = ["language", "by", "write", "read", "text / this, write", "text / this, read"]
    return Section("Without a format", words, [], columns, lines)


def beaten(found: Measured, direction: str, language: str, by: str) -> float | None:
    """The time of real*8 as text by the same library, else by the language's fastest."""
    own = [one for name, one, form in found.ways() if form == FORMATTED and name == language]
    wanted = [by] if by in own else own
    times_ = [found.per_item(direction, language, REAL8, one) for one in wanted]
    return min((one for one in times_ if one is not None), default=None)


def places(found: Measured) -> Section:
    names = list(dict.fromkeys((row["place"], row["file_system"]) for row in found.writes))
    lines = []
    for language, by, form in found.ways():
        values = [found.per_item("write", language, REAL8, by, form, place) for place, _ in names]
        if any(value is not None for value in values):
            lines.append([language, by, form, *map(cell, values)])
    words = [
        "Time to write an item of real*8, without flush and device. "
        "The publication found mmfs 1.72 times faster than nfs, and srfs 1.22 times."
    ]
    columns = ["language", "by", "form", *(f"{place} ({system})" for place, system in names)]
    return Section("File systems", words, [], columns, lines)


def buffers(records: Sequence[Record]) -> Section:
    """Ways with a chosen buffer, and Fortran's by the environment."""
    samples: dict[tuple[str, str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        for row in record.rows("writes"):
            if row["type"] == REAL8 and row["place"] == "folder":
                key = (row["language"], row["by"], row["form"])
                samples[key][row["buffer"]].append(row["seconds"] / row["items"])
    sizes_of = sorted({size for own in samples.values() for size in own})
    lines = [
        [*key, *(units.seconds(median(own[size])) if size in own else "" for size in sizes_of)]
        for key, own in samples.items()
        if len(own) > 1
    ]
    names = ["the library's own" if size == 0 else units.capacity(size) for size in sizes_of]
    words = ["Time to write an item of real*8 by the size of the buffer."]
    return Section("Buffers", words, [], ["language", "by", "form", *names], lines)


def conversions(records: Sequence[Record]) -> Section:
    samples: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records:
        for row in record.rows("conversions"):
            samples[row["by"], row["direction"]].append(row["seconds"] / row["items"])
    lines = [[by, direction, units.seconds(median(values))] for (by, direction), values in samples.items()]
    words = ["A double to 15 digits and back, in memory."]
    return Section("Conversions alone", words, [], ["by", "direction", "a number"], lines)


def returned(records: Sequence[Record]) -> Section:
    rows = {
        (row["language"], row["by"], row["type"]): row
        for record in records
        for row in record.rows("returned")
    }
    lines = [
        [*key, units.percent(row["same"] / row["numbers"]), f"{row['rounding']:.2g}"]
        for key, row in rows.items()
    ]
    words = [
        "Values with full significands: how many come back bit for bit from 15 digits, and the largest rounding as a part of their power of ten."
    ]
    return Section(
        "What comes back", words, [], ["language", "by", "type", "same", "largest rounding"], lines
    )


def missing(records: Sequence[Record], failures: Mapping[str, UserError]) -> Section:
    lines = [[name, str(error)] for name, error in failures.items()]
    lines += [[row["what"], row["why"]] for record in records for row in record.rows("missing")]
    return Section("Not measured here", ["The rest went on."], [], ["what", "why"], lines)
