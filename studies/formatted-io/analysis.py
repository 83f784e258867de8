"""The published sizes, shares and times of formatted files beside those measured here, by the probe ``formatted_io``."""

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.files import load_module
from hakaru.base.paths import root
from hakaru.facts.records import Record
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import shown
from .measured import FORMATTED, Measured, of_records
from .settings import Settings

__all__ = ["Settings", "run"]

BUFFER = "GFORTRAN_FORMATTED_BUFFER_SIZE"  # what gfortran's library reads
PRIMERGY = "primergy"
FORTRAN = "Fortran"  # the first program, as rows and study.toml call it
CONTROL_ITEMS = ("cost share: statement control, checks, transfer", "cost share: format parsing and checks")
EDITING_ITEM, CONVERSION_ITEM = "cost share: data editing", "cost share: data conversion"


def run(study: Study[Settings], context: Context) -> Result:
    """The probe runs here once a language, and Fortran's once a buffer size. What this machine does not allow, a language too, is told.
    Raises UserError when none can be measured."""
    records, failures = [], {}
    for program in study.programs:
        name = program.application
        context.say(f"{name}, {study.settings.table_items:,} items of each type")
        try:
            records.append(launched(program, Layout(1, 1), context, timeout_s=1200.0)[1])
        except UserError as error:
            failures[name] = error
    if not records:
        raise next(iter(failures.values()))
    for buffer in () if FORTRAN in failures else study.settings.buffers:
        context.say(f"Fortran with a buffer of {units.capacity(buffer)}")
        records.append(with_buffer(study, context, buffer))
    return beside(study, records, failures)


def with_buffer(study: Study[Settings], context: Context, buffer: int) -> Record:
    settings = study.settings
    parameters = {"items": settings.buffer_items, "samples": settings.buffer_samples, "elsewhere": False}
    with variable(BUFFER, str(buffer)):
        return launched(study.programs[0], Layout(1, 1), context, parameters)[1]


@contextlib.contextmanager
def variable(name: str, value: str) -> Iterator[None]:
    """Of the environment, for what is started meanwhile."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def beside(
    study: Study[Settings], records: Sequence[Record], failures: Mapping[str, UserError] | None = None
) -> Result:
    distiller = load_module(root() / "probes" / "formatted_io" / "distil.py")
    whole = [one for one in records if not any(row["buffer"] for row in formatted(one, FORTRAN))]
    found = of_records(whole, distiller)
    result = Result(assumptions=list(study.settings.assumptions))
    result.rows = [
        *size_rows(study, found),
        *share_rows(study, found),
        *part_rows(study, found, distiller),
        *time_rows(study, found),
    ]
    result.sections = [
        one for one in shown.sections(found, records, result.rows, failures or {}) if one.lines
    ]
    result.summary = summary(study, found, result.rows)
    return result


def formatted(record: Record, language: str) -> list:
    return [row for row in record.rows("writes") if row["language"] == language and row["form"] == FORMATTED]


def size_rows(study: Study[Settings], found: Measured) -> list[Row]:
    """A row a type: the bytes of every language's text, where they are the same."""
    rows = []
    for cells in study.published.table("file-sizes").rows:
        sizes = found.text_bytes(cells["type"], study.settings.table_items)
        ours = float(sizes.pop()) if len(sizes) == 1 else None
        rows.append(Row(f"bytes/{cells['type']}", float(cells["bytes"]), ours, "B", "measured"))
    return rows


def share_rows(study: Study[Settings], found: Measured) -> list[Row]:
    """Of Fortran's real*8: processor time of the library, and time of the statement beside that of the flush."""
    library = study.published.number("facts", "item", "run-time library share", "value") / 100.0
    rows = [Row("share/user/write", library, found.user_share(FORTRAN), "1", "measured")]
    published = study.published.table("runtime-share").rows
    for cells in published:
        if cells["machine"] == "FX1" and cells["direction"] == "write":
            rows.append(
                Row(
                    "share/statement/write",
                    cells["runtime_share"] / 100.0,
                    found.statement_share(FORTRAN),
                    "1",
                    "measured",
                )
            )
    return rows


def part_rows(study: Study[Settings], found: Measured, distiller) -> list[Row]:
    """Shares of the library's time, without system calls, by part."""

    def share(item: str) -> float:
        return study.published.number("facts", "item", item, "value") / 100.0

    published = {
        distiller.CONTROL: sum(map(share, CONTROL_ITEMS)),
        distiller.EDITING: share(EDITING_ITEM),
        distiller.CONVERSION: share(CONVERSION_ITEM),
    }
    reading = {row["part"]: row[PRIMERGY] for row in study.published.table("read-cost").rows}
    read_published = {distiller.CONVERSION: 1.0 - reading["the rest"] / sum(reading.values())}
    rows = []
    for direction, known in (("write", published), ("read", read_published)):
        ours = found.part_shares(direction)
        rows += [
            Row(f"part/{direction}/{part}", known.get(part), ours.get(part), "1", "measured")
            for part in published
        ]
    return rows


def time_rows(study: Study[Settings], found: Measured) -> list[Row]:
    """Seconds of Fortran's library for the whole array of real*8 beside PRIMERGY's, the sum over parts."""
    rows = []
    for direction, table in (("write", "write-cost-1"), ("read", "read-cost")):
        published = sum(row[PRIMERGY] for row in study.published.table(table).rows)
        ours = found.per_item(direction, FORTRAN, "real*8")
        seconds = None if ours is None else ours * study.settings.table_items
        rows.append(Row(f"time/{direction}/real*8", published, seconds, "s", "measured"))
    return rows


def summary(study: Study[Settings], found: Measured, rows: Sequence[Row]) -> list[str]:
    if not found.writes:
        return ["Nothing was measured."]
    by_id = {row.id: row for row in rows}
    sizes = [row for row in rows if row.id.startswith("bytes/")]
    exact = sum(row.ours == row.published for row in sizes)
    lines = [
        f"{exact} of {len(sizes)} file sizes are the published ones to the byte, in every language measured."
    ]
    share, conversion = by_id["share/user/write"], by_id["part/write/data conversion"]
    if share.ours is not None:
        lines.append(
            f"Fortran's library takes {units.percent(share.ours)} of the processor time of writing, the system the rest; "
            f"published {units.percent(share.published)}."
        )
    if conversion.ours is not None:
        lines.append(
            f"Data conversion is {units.percent(conversion.ours)} of the library's time; published {units.percent(conversion.published)}."
        )
    return lines
