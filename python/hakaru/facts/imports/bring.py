"""Files into records of a results folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.facts import imports
from hakaru.facts.imports.source import Imported, read
from hakaru.facts.records import RecordStore


@dataclass(frozen=True)
class Brought:
    """Ids of new records, ids of records that the folder had already, and what was left out of the files."""

    made: list[str]
    known: list[str]
    skipped: list[str]


def bring_in(files: Sequence[Path], folder: Path, time: str | None) -> Brought:
    """Reads all files before it writes a record. Raises UserError for a file that is none of the known."""
    every = [imported(path, time) for path in files]
    store = RecordStore(folder)
    store.prepare()
    made, known = [], []
    for record in (record for one in every for record in one.records):
        if store.path(record.id).exists():
            known.append(record.id)
        else:
            made.append(store.write(record).id)
    return Brought(made, known, [text for one in every for text in one.skipped])


def imported(path: Path, time: str | None) -> Imported:
    source = read(path, time)
    known = imports.formats()
    for module in known.values():
        if module.recognises(source.data):
            return module.records(source)
    raise UserError(
        f"{path} is no file that can be imported",
        f"it has none of the fields of {' or '.join(module.title for module in known.values())}",
        "give JSON of Google Benchmark, or a run report of ReFrame",
    )
