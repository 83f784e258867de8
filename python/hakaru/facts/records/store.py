"""The results folder's records: written whole or not at all, read with damaged ones named and left out."""

import os
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import write_json_atomically
from hakaru.facts.records.entry import Entry
from hakaru.facts.records.index import Index
from hakaru.facts.records.listing import Listing, listing
from hakaru.facts.records.record import Record
from hakaru.facts.records.wanted import ALL, Answer, Read, Wanted


def new_id(program: str) -> str:
    """A name that sorts by time and does not repeat: 20261121T111500.123Z-himeno-3f2a1c."""
    now = datetime.now(UTC)
    return f"{now:%Y%m%dT%H%M%S}.{now.microsecond // 1000:03d}Z-{program}-{secrets.token_hex(3)}"


class RecordStore:
    """Records of one results folder. ``damaged`` lists (file, reason) of those that could not be read, after a reading call."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.records = self.folder / "records"
        self.incoming = self.records / ".incoming"
        self.damaged: list[tuple[Path, str]] = []
        self.total = 0

    @property
    def cold(self) -> "RecordStore":
        """Runs whose caches were emptied before every phase: kept apart, as nothing else may take their times for what runs take."""
        return RecordStore(self.folder / "cold")

    def prepare(self) -> None:
        """Makes the folders. Raises UserError when they cannot be made or written."""
        try:
            self.incoming.mkdir(parents=True, exist_ok=True)
            probe = self.incoming / f".writable-{os.getpid()}"
            probe.write_text("")
            probe.unlink()
        except OSError as error:
            raise UserError(
                f"the results folder {self.folder} cannot be written",
                os.strerror(error.errno or 0),
                "choose another with --results DIR or HAKARU_RESULTS",
                ENVIRONMENT,
            ) from None

    def path(self, record_id: str) -> Path:
        return self.records / f"{record_id}.json"

    def all(
        self,
        program: str | None = None,
        command: str | None = None,
        status: str | None = None,
        campaign: str | None = None,
    ) -> list[Record]:
        """Readable records in the order of their ids, filtered."""
        wanted = {"program": program, "command": command, "status": status, "campaign": campaign}
        wanted = {key: value for key, value in wanted.items() if value is not None}
        paths = self._paths(wanted) if wanted else sorted(self.records.glob("*.json"))
        return [
            record
            for record in self._read(paths)
            if all(getattr(record, key) == value for key, value in wanted.items())
        ]

    def entries(self, wanted: Wanted = ALL, found: Listing | None = None) -> list[Entry]:
        """Readable records in short, in the order of their ids. ``total`` then says how many fit, where only the newest are wanted.
        ``found``: ``listing`` of the folder, for several questions to one state of it."""
        answer = self._answer(wanted, listing(self.records) if found is None else found)
        self.damaged = [(self.records / name, reason) for name, reason in answer.damaged.items()]
        self.total = answer.total
        return list(answer.entries.values())

    def _answer(self, wanted: Wanted, found: Listing) -> Answer:
        return Index(self.records, self._entry).answer(found, wanted, written=not found.is_small)

    def _paths(self, wanted: dict[str, str]) -> list[Path]:
        """Files that may hold such records: the index says which, where there is much to read."""
        found = listing(self.records)
        if found.is_small:
            return sorted(self.records / name for name in found)
        answer = self._answer(Wanted(wanted.get("program"), wanted.get("status")), found)
        chosen = [
            name
            for name, entry in answer.entries.items()
            if all(getattr(entry, key) == value for key, value in wanted.items())
        ]
        return sorted(self.records / name for name in [*chosen, *answer.damaged])

    def _read(self, paths: list[Path]) -> Iterator[Record]:
        self.damaged = []
        for path in paths:
            try:
                yield Record.read(path)
            except (OSError, ValueError, MemoryError) as error:
                self.damaged.append((path, _why(error)))

    def _entry(self, path: Path) -> Read:
        try:
            return Read(Entry.of(Record.read(path)), None)
        except (OSError, ValueError, MemoryError, RecursionError) as error:
            return Read(None, _why(error))

    def write(self, record: Record) -> Record:
        """Publishes a record under its id. Raises UserError when a record of that id exists (records are immutable)."""
        path = self.path(record.id)
        if path.exists():
            raise UserError(
                f"the record {record.id} exists already", "records are never changed", "give it another id"
            )
        write_json_atomically(path, record.as_dict())
        return record


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__
