"""An index beside the records, so that 100,000 of them answer at once: ``<results>/.index/records.sqlite``.

It is never the truth. Every answer begins with the listing of the folder: files whose time or size is not the one noted are read again,
files that are gone are forgotten. It may be deleted at any time. Whoever writes or replaces it holds the lock file beside it.
"""

import fcntl
import gc
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from hakaru.base.output import note
from hakaru.facts.records.entry import Entry
from hakaru.facts.records.listing import Listing, Stamp
from hakaru.facts.records.wanted import ALL, Answer, Read, Wanted, answer_of

VERSION = 2  # of the tables and of what an entry holds
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
CREATE TABLE files (name TEXT PRIMARY KEY, mtime INTEGER, size INTEGER, reason TEXT);
CREATE INDEX damaged ON files (name, reason) WHERE reason NOT NULL;
CREATE TABLE entries (name TEXT PRIMARY KEY, program TEXT, status TEXT, day TEXT, hash TEXT, entry BLOB, environment INTEGER, crc INTEGER);
CREATE INDEX programs ON entries (program);
CREATE INDEX days ON entries (day);
CREATE INDEX hashes ON entries (hash);
CREATE TABLE environments (number INTEGER PRIMARY KEY, text BLOB UNIQUE);
CREATE TABLE listing (digest BLOB);
"""


class Broken(Exception):
    """The index is not what was written."""


class Index:
    """``read`` says what one file holds."""

    def __init__(self, records: Path, read: Callable[[Path], Read]):
        self.records, self._read = records, read
        self.folder = records.parent / ".index"
        self.file = self.folder / "records.sqlite"

    def answer(self, found: Listing, wanted: Wanted = ALL, written: bool = True) -> Answer:
        """Of the files in ``found``; damaged ones are always told. ``written``: may an index be made."""
        if not written:
            return self._unwritten(found, wanted)
        for attempt in (1, 2):
            try:
                return self._written(found, wanted)
            except (OSError, UnicodeError):  # SQLite takes no file names that are no text
                return self._unwritten(found, wanted)
            except (sqlite3.DatabaseError, msgspec.MsgspecError, Broken) as error:
                if getattr(error, "sqlite_errorname", "").startswith(PLACE):
                    return self._unwritten(found, wanted)
                if attempt == 1:
                    note(f"the index {self.file} is damaged ({error}); it is made anew")
                self._drop()
        return self._from_files(found, wanted)

    def _written(self, found: Listing, wanted: Wanted) -> Answer:
        """Through an index that may be written. Raises OSError where it may not."""
        self.folder.mkdir(exist_ok=True)
        with self._locked(fcntl.LOCK_SH), closing(self._open("rw")) as database:
            if database and _is_ours(database):
                answer = _select(database, wanted)  # while the folder is still being listed
                if _current(database, found.digest()):
                    return answer
        with self._locked(fcntl.LOCK_EX), closing(self._open("rwc")) as database:
            _prepare(database)
            state = found.digest()
            if not _current(database, state):
                self._refresh(database, found)
                with database:
                    database.execute("DELETE FROM listing")
                    database.execute("INSERT INTO listing VALUES (?)", (state,))
            return _select(database, wanted)

    def _unwritten(self, found: Listing, wanted: Wanted) -> Answer:
        """Where nothing may be written: what the index knows rightly is taken from it, all else is read."""
        try:
            with closing(self._open("ro")) as database:
                if not database or not _is_ours(database):
                    return self._from_files(found, wanted)
                known = _stamps(database)
                held = _select(database, wanted._replace(newest=None))
        except (sqlite3.DatabaseError, msgspec.MsgspecError, Broken):
            return self._from_files(found, wanted)
        stale = Listing.of({name: stamp for name, stamp in found.items() if known.get(name) != stamp})
        fresh = self._from_files(stale, wanted)
        keep = found.keys() - stale.keys()
        entries = {name: entry for name, entry in held.entries.items() if name in keep} | fresh.entries
        damaged = {name: reason for name, reason in held.damaged.items() if name in keep} | fresh.damaged
        return answer_of(entries, damaged, wanted)

    def _from_files(self, found: Listing, wanted: Wanted) -> Answer:
        entries, damaged = {}, {}
        for name in found:
            entry, reason = self._read(self.records / name)
            if entry is None:
                damaged[name] = reason or ""
            elif wanted.fits(entry):
                entries[name] = entry
        return answer_of(entries, damaged, wanted)

    def _refresh(self, database: sqlite3.Connection, found: Listing) -> None:
        known = _stamps(database)
        gone = [(name,) for name in known.keys() - found.keys()]
        stale = [name for name, stamp in found.items() if known.get(name) != stamp]
        with database:
            database.executemany("DELETE FROM files WHERE name = ?", gone)
            database.executemany("DELETE FROM entries WHERE name = ?", gone)
        if len(stale) >= SAID:
            note(f"reading {len(stale)} records into the index {self.file}")
        numbers = dict(database.execute("SELECT text, number FROM environments"))
        for begin in range(0, len(stale), BATCH):
            names = stale[begin : begin + BATCH]
            read = [(name, *self._read(self.records / name)) for name in names]
            with database:
                _insert(database, read, found, numbers)

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


def _insert(
    database: sqlite3.Connection, read: list[tuple], found: Listing, numbers: dict[bytes, int]
) -> None:
    """Rows of files that were read; ``numbers`` of environments grows."""
    files = [(name, *found[name], reason) for name, _, reason in read]
    database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", files)
    database.executemany("DELETE FROM entries WHERE name = ?", [(name,) for name, _, _ in read])
    rows = []
    for name, entry, _ in read:
        if entry is None:
            continue
        text = msgspec.json.encode(entry.environment, order="sorted")
        if text not in numbers:
            row = database.execute("INSERT INTO environments (text) VALUES (?)", (text,))
            numbers[text] = row.lastrowid
        packed = msgspec.msgpack.encode(msgspec.structs.replace(entry, environment={}))
        crc = zlib.crc32(packed, zlib.crc32(text))
        rows.append((name, entry.program, entry.status, entry.date, entry.commit, packed, numbers[text], crc))
    database.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)


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
        for table in ("files", "entries", "environments", "listing"):
            database.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in TABLES.strip().split(";\n"):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {VERSION}")


def _is_ours(database: sqlite3.Connection) -> bool:
    return database.execute("PRAGMA user_version").fetchone()[0] == VERSION


def _current(database: sqlite3.Connection | _Nothing, state: bytes) -> bool:
    if not database or not _is_ours(database):
        return False
    row = database.execute("SELECT digest FROM listing").fetchone()
    return row is not None and row[0] == state


def _stamps(database: sqlite3.Connection) -> dict[str, Stamp]:
    return {
        name: (mtime, size) for name, mtime, size in database.execute("SELECT name, mtime, size FROM files")
    }


def _select(database: sqlite3.Connection, wanted: Wanted) -> Answer:
    """Raises Broken for a row that is not what was written."""
    texts = dict(database.execute("SELECT number, text FROM environments"))
    environments = {number: (msgspec.json.decode(text), zlib.crc32(text)) for number, text in texts.items()}
    where, values = wanted.where()
    limit = "" if wanted.newest is None else f"ORDER BY name DESC LIMIT {wanted.newest}"
    rows = database.execute(
        f"SELECT name, entry, environment, crc FROM entries WHERE {where} {limit}", values
    )
    with _without_collector():
        entries = dict(_decoded(sorted(rows), environments))
    damaged = dict(database.execute("SELECT name, reason FROM files WHERE reason NOT NULL ORDER BY name"))
    total = len(entries)
    if wanted.newest is not None:
        total = database.execute(f"SELECT count(*) FROM entries WHERE {where}", values).fetchone()[0]
    return Answer(entries, damaged, total)


def _decoded(rows: list[tuple], environments: dict[int, tuple[dict, int]]) -> Iterator[tuple[str, Entry]]:
    decode, put = msgspec.msgpack.Decoder(Entry).decode, msgspec.structs.force_setattr
    for name, packed, number, crc in rows:
        environment, start = environments.get(number, (None, 0))
        if environment is None or zlib.crc32(packed, start) != crc:
            raise Broken(f"the entry of {name} is not what was written")
        entry = decode(packed)
        put(entry, "environment", environment)
        yield name, entry


@contextmanager
def _without_collector() -> Iterator[None]:
    """Python's search for circles, which goes over all entries again and again while they are made."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()
