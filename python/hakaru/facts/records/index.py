"""An index beside the records, so that 100,000 of them answer at once: ``<results>/.index/records.sqlite``.

It is never the truth. Every answer begins with the listing of the folder: files whose time or size is not the one noted are read again,
files that are gone are forgotten. It may be deleted at any time. Whoever writes or replaces it holds the lock file beside it.
"""

import fcntl
import os
import sqlite3
import zlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from hakaru.base.output import note
from hakaru.facts.records.entry import Entry

VERSION = 1  # of the tables and of what an entry holds
BATCH = 2000  # records of a transaction: a killed build goes on from the last one
PLACE = (
    "SQLITE_FULL",
    "SQLITE_READONLY",
    "SQLITE_CANTOPEN",
    "SQLITE_IOERR",
    "SQLITE_BUSY",
)  # not the index is at fault
SAID = 5000  # records from which on reading them is announced
TABLES = """
CREATE TABLE files (name TEXT PRIMARY KEY, mtime INTEGER, size INTEGER, program TEXT, entry BLOB, environment INTEGER, crc INTEGER,
                    reason TEXT);
CREATE INDEX programs ON files (program);
CREATE TABLE environments (number INTEGER PRIMARY KEY, text BLOB UNIQUE);
CREATE TABLE listing (digest BLOB);
"""


class Stamp(NamedTuple):
    """Of a file: nanoseconds and B."""

    mtime: int
    size: int


class Read(NamedTuple):
    """What a file says: an entry, or the reason why it says none."""

    entry: Entry | None
    reason: str | None


class Answer(NamedTuple):
    """Entries and damaged files, both by the name of the file."""

    entries: dict[str, Entry]
    damaged: dict[str, str]


class Broken(Exception):
    """The index is not what was written."""


Listing = dict[str, Stamp]


def listing(folder: Path) -> Listing:
    """The record files with their times and sizes; empty where there is no folder."""
    found = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and not entry.name.startswith("."):
                    try:
                        seen = entry.stat()
                    except FileNotFoundError:
                        continue
                    found[entry.name] = Stamp(seen.st_mtime_ns, seen.st_size)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return found


def _digest(found: Listing) -> bytes:
    """Of names, times and sizes in the order of the folder; another order costs a comparison, no mistake."""
    state = blake2b("\0".join(found).encode("utf-8", "surrogateescape"), digest_size=16)
    state.update(array("q", [stamp.mtime for stamp in found.values()]).tobytes())
    state.update(array("q", [stamp.size for stamp in found.values()]).tobytes())
    return state.digest()


class Index:
    """``read`` says what one file holds."""

    def __init__(self, records: Path, read: Callable[[Path], Read]):
        self.records, self._read = records, read
        self.folder = records.parent / ".index"
        self.file = self.folder / "records.sqlite"

    def answer(self, found: Listing, program: str | None = None, written: bool = True) -> Answer:
        """Of the files in ``found``, all or those of one program; damaged ones are always told. ``written``: may an index be made."""
        if not written:
            return self._unwritten(found, program)
        for attempt in (1, 2):
            try:
                return self._written(found, program)
            except OSError:
                return self._unwritten(found, program)
            except (sqlite3.DatabaseError, msgspec.MsgspecError, Broken) as error:
                if getattr(error, "sqlite_errorname", "").startswith(PLACE):
                    return self._unwritten(found, program)
                if attempt == 1:
                    note(f"the index {self.file} is damaged ({error}); it is made anew")
                self._drop()
        return self._from_files(found, program)

    def _written(self, found: Listing, program: str | None) -> Answer:
        """Through an index that may be written. Raises OSError where it may not."""
        self.folder.mkdir(exist_ok=True)
        digest = _digest(found)
        with self._locked(fcntl.LOCK_SH), closing(self._open("rw")) as database:
            if database is not None and _current(database, digest):
                return _select(database, program)
        with self._locked(fcntl.LOCK_EX), closing(self._open("rwc")) as database:
            _prepare(database)
            if not _current(database, digest):
                self._refresh(database, found)
                with database:
                    database.execute("DELETE FROM listing")
                    database.execute("INSERT INTO listing VALUES (?)", (digest,))
            return _select(database, program)

    def _unwritten(self, found: Listing, program: str | None) -> Answer:
        """Where nothing may be written: what the index knows rightly is taken from it, all else is read."""
        try:
            with closing(self._open("ro")) as database:
                if not database or not _is_ours(database):
                    return self._from_files(found, program)
                known = _stamps(database)
                held = _select(database, program)
        except (sqlite3.DatabaseError, msgspec.MsgspecError, Broken):
            return self._from_files(found, program)
        stale = {name: stamp for name, stamp in found.items() if known.get(name) != stamp}
        fresh = self._from_files(stale, program)
        keep = found.keys() - stale.keys()
        return Answer(
            {name: entry for name, entry in held.entries.items() if name in keep} | fresh.entries,
            {name: reason for name, reason in held.damaged.items() if name in keep} | fresh.damaged,
        )

    def _from_files(self, found: Listing, program: str | None) -> Answer:
        answer = Answer({}, {})
        for name in found:
            entry, reason = self._read(self.records / name)
            if entry is None:
                answer.damaged[name] = reason or ""
            elif program in (None, entry.program):
                answer.entries[name] = entry
        return answer

    def _refresh(self, database: sqlite3.Connection, found: Listing) -> None:
        known = _stamps(database)
        gone = [(name,) for name in known.keys() - found.keys()]
        stale = [name for name, stamp in found.items() if known.get(name) != stamp]
        with database:
            database.executemany("DELETE FROM files WHERE name = ?", gone)
        if len(stale) >= SAID:
            note(f"reading {len(stale)} records into the index {self.file}")
        numbers = dict(database.execute("SELECT text, number FROM environments"))
        for begin in range(0, len(stale), BATCH):
            rows = [self._row(database, name, found[name], numbers) for name in stale[begin : begin + BATCH]]
            with database:
                database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _row(self, database: sqlite3.Connection, name: str, stamp: Stamp, numbers: dict[bytes, int]) -> tuple:
        entry, reason = self._read(self.records / name)
        if entry is None:
            return (name, *stamp, None, None, None, None, reason)
        text = msgspec.json.encode(entry.environment, order="sorted")
        if text not in numbers:
            row = database.execute("INSERT INTO environments (text) VALUES (?)", (text,))
            numbers[text] = row.lastrowid
        packed = msgspec.msgpack.encode(msgspec.structs.replace(entry, environment={}))
        return (name, *stamp, entry.program, packed, numbers[text], zlib.crc32(packed + text), None)

    def _open(self, mode: str) -> "sqlite3.Connection | _Nothing":
        """``rw`` and ``ro`` give nothing where there is no index."""
        if mode != "rwc" and not self.file.is_file():
            return _Nothing()
        path = str(self.file.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        database = sqlite3.connect(f"file:{path}?mode={mode}", uri=True, timeout=30.0)
        database.execute("PRAGMA synchronous = NORMAL")
        return database

    @contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        with open(self.folder / "lock", "ab") as file:
            fcntl.flock(file, how)
            yield

    def _drop(self) -> None:
        """Removes it with its journal, which must not be played into the next one."""
        with self._locked(fcntl.LOCK_EX):
            for suffix in ("-journal", "-wal", "-shm", ""):
                Path(f"{self.file}{suffix}").unlink(missing_ok=True)


class _Nothing:
    """In place of an index that is not there."""

    def __bool__(self) -> bool:
        return False

    def close(self) -> None:
        pass


def _prepare(database: sqlite3.Connection) -> None:
    """Tables of this version; those of another are dropped, their facts can be read again."""
    if _is_ours(database):
        return
    with database:
        for table in ("files", "environments", "listing"):
            database.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in TABLES.strip().split(";\n"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {VERSION}")


def _is_ours(database: sqlite3.Connection) -> bool:
    return database.execute("PRAGMA user_version").fetchone()[0] == VERSION


def _current(database: sqlite3.Connection | _Nothing, digest: bytes) -> bool:
    if not database or not _is_ours(database):
        return False
    row = database.execute("SELECT digest FROM listing").fetchone()
    return row is not None and row[0] == digest


def _stamps(database: sqlite3.Connection) -> Listing:
    return {
        name: Stamp(mtime, size)
        for name, mtime, size in database.execute("SELECT name, mtime, size FROM files")
    }


def _select(database: sqlite3.Connection, program: str | None) -> Answer:
    """Raises Broken for a row that is not what was written."""
    texts = dict(database.execute("SELECT number, text FROM environments"))
    environments = {number: msgspec.json.decode(text) for number, text in texts.items()}
    where, values = ("", ()) if program is None else ("AND program = ?", (program,))
    rows = database.execute(
        f"SELECT name, entry, environment, crc FROM files WHERE entry NOT NULL {where}", values
    )
    decoder, entries = msgspec.msgpack.Decoder(Entry), {}
    for name, packed, number, crc in rows:
        if number not in texts or zlib.crc32(packed + texts[number]) != crc:
            raise Broken(f"the entry of {name} is not what was written")
        entries[name] = decoder.decode(packed)
        msgspec.structs.force_setattr(entries[name], "environment", environments[number])
    damaged = dict(database.execute("SELECT name, reason FROM files WHERE entry IS NULL"))
    return Answer(entries, damaged)
