"""The use of files as the watcher leaves it for each process (.hkf); native/trace/watched.h is the law."""

import struct
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError

MAGIC, VERSION, ENDIAN = b"HAKARUF1", 1, 0x01020304
HEADER = struct.Struct("<8sII III i QQ Ii QQQQQ 40x 128s64s696s")
SKIP, PHASE, WORLD = 1, 2, 3
FILE, OPENING, ROW, RUN, CHANGE, NAME = range(20, 26)
TYPES = ("none", "regular", "stream", "system", "other", "many")
MAPPED, UNTOLD, MANY, BY_MPI = 1, 2, 4, 8
LAYERS = ("posix", "stdio", "mpi", "below mpi")
OPERATIONS = ("open", "close", "read", "write", "seek", "sync", "truncate", "map", "stat", "unlink", "rename")
SIZE, UNLINK = 1, 2
NEVER = 2**64 - 1


@dataclass
class WatchedFile:
    """``flags``: MAPPED, UNTOLD, MANY, BY_MPI. Sizes in B, times in ns."""

    number: int
    type: str
    device: int
    node: int
    flags: int
    path: str
    first_ns: int
    first_bytes: int
    last_bytes: int
    name: str = ""  # after a rename


@dataclass(frozen=True)
class Row:
    file: int
    phase: str
    layer: str
    operation: str
    calls: int
    failed: int
    bytes: int
    time_ns: int


@dataclass(frozen=True)
class Run:
    """Pieces [begin + i stride, begin + i stride + length), i < count, of a file that was open from ``open_ns`` to ``close_ns``."""

    file: int
    begin: int
    length: int
    stride: int
    count: int
    first_ns: int
    last_ns: int
    open_ns: int
    close_ns: int


@dataclass(frozen=True)
class Change:
    """``size``: what the file had then; 0 when its name was removed."""

    file: int
    time_ns: int
    size: int


class DamagedUse(UserError):
    """The bytes contradict the format."""

    def __init__(self, path: Path, why: str):
        super().__init__(f"{path} cannot be read", why, "record the run again", ENVIRONMENT)


@dataclass
class WatchedProcess:
    path: Path
    process_id: int = 0
    host: str = ""
    boot_id: str = ""
    program: str = ""
    rank: int = -1
    world_size: int = 0
    world_id: int = 0
    ended: bool = False
    lost_calls: int = 0
    lost_records: int = 0
    lost_reason: int = 0
    files: dict[int, WatchedFile] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> "WatchedProcess":
        """Raises DamagedUse."""
        return _Reader(path).read()


class _Reader:
    def __init__(self, path: Path):
        self.data = path.read_bytes()
        self.found = WatchedProcess(path)
        self.phases: dict[int, str] = {0: ""}
        self.openings: dict[int, tuple[int, int, int]] = {}

    def fail(self, why: str) -> DamagedUse:
        return DamagedUse(self.found.path, why)

    def read(self) -> WatchedProcess:
        end = self._header()
        raw_rows, raw_runs = [], []
        at = HEADER.size
        while at + 8 <= end:
            (head,) = struct.unpack_from("<I", self.data, at)
            kind, length = head & 0xFF, 8 * (head >> 8)
            if head == 0 and not self.found.ended:
                break
            if length < 8 or at + length > end:
                raise self.fail(f"the record at byte {at} has an impossible length")
            self._record(kind, at, length, raw_rows, raw_runs)
            at += length
        self._resolve(raw_rows, raw_runs)
        return self.found

    def _header(self) -> int:
        if len(self.data) < HEADER.size:
            raise self.fail("it ends inside its header")
        magic, version, endian, size, process, _, rank, _, _, status, world, _, end, *rest = (
            HEADER.unpack_from(self.data)
        )
        lost_calls, lost_records, lost_reason, host, boot_id, program = rest
        if magic != MAGIC:
            raise self.fail("it does not begin as the use of files does")
        if version != VERSION or endian != ENDIAN or size != HEADER.size:
            raise self.fail(f"version {version} or byte order is another one")
        f = self.found
        f.process_id, f.rank, f.world_size, f.ended = process, rank, world, status != 0
        f.lost_calls, f.lost_records, f.lost_reason = lost_calls, lost_records, lost_reason
        f.host, f.boot_id, f.program = (
            text.split(b"\0")[0].decode(errors="replace") for text in (host, boot_id, program)
        )
        if f.ended and not HEADER.size <= end <= len(self.data):
            raise self.fail(f"it ends at byte {len(self.data)}, its records at {end}")
        return end if f.ended else len(self.data)

    def _record(self, kind: int, at: int, length: int, rows: list, runs: list) -> None:
        fits = {PHASE: 16, WORLD: 24, FILE: 64, OPENING: 32, ROW: 56, RUN: 64, CHANGE: 32, NAME: 16}.get(
            kind, 8
        )
        if length < fits:
            raise self.fail(f"the record at byte {at} is too short for its kind")
        unpack = lambda form: struct.unpack_from(form, self.data, at + 8)  # noqa: E731
        if kind in (PHASE, NAME):
            number, size = unpack("<II")
            text = self._text(at + 16, size, at + length)
            if kind == PHASE:
                self.phases[number] = text
            elif number in self.found.files:
                self.found.files[number].name = text
        elif kind == WORLD:
            self.found.rank, self.found.world_size, self.found.world_id = unpack("<iiQ")
        elif kind == FILE:
            self._file(unpack("<IIQQIIQQQ"), at, length)
        elif kind == OPENING:
            number, file, opened, closed = unpack("<IIQQ")
            self.openings[number] = (file, opened, closed or NEVER)
        elif kind == ROW:
            rows.append((at, unpack("<IIHHIQQQQ")))
        elif kind == RUN:
            runs.append((at, unpack("<IIQQQQQQ")))
        elif kind == CHANGE:
            file, change, time_ns, value = unpack("<IIQQ")
            self.found.changes.append(Change(file, time_ns, value if change == SIZE else 0))
        elif kind != SKIP:
            raise self.fail(f"the record at byte {at} is of unknown kind {kind}")

    def _text(self, at: int, size: int, end: int) -> str:
        if at + size > end:
            raise self.fail(f"the text at byte {at} runs over its record")
        return self.data[at : at + size].decode(errors="replace")

    def _file(self, values: tuple, at: int, length: int) -> None:
        number, kind, device, node, flags, size, first_ns, first_bytes, last_bytes = values
        if kind >= len(TYPES):
            raise self.fail(f"the file at byte {at} is of unknown type {kind}")
        path = self._text(at + 64, size, at + length)
        self.found.files[number] = WatchedFile(
            number, TYPES[kind], device, node, flags, path, first_ns, first_bytes, last_bytes, path
        )

    def _resolve(self, rows: list, runs: list) -> None:
        for at, (file, phase, layer, operation, _, *sums) in rows:
            if file not in self.found.files or layer >= len(LAYERS) or operation >= len(OPERATIONS):
                raise self.fail(f"the sums at byte {at} are of no known file or call")
            name = self.phases.get(phase)
            if name is None:
                raise self.fail(f"the sums at byte {at} are of no known phase")
            self.found.rows.append(Row(file, name, LAYERS[layer], OPERATIONS[operation], *sums))
        for at, (opening, _, begin, length, stride, count, first, last) in runs:
            if opening not in self.openings:
                raise self.fail(f"the bytes at byte {at} are of no known opening")
            if count:
                file, opened, closed = self.openings[opening]
                self.found.runs.append(Run(file, begin, length, stride, count, first, last, opened, closed))
