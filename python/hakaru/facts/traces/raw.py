"""The raw trace of one rank: header, counters, records. For summaries and tests, not for speed."""

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.facts.traces import layout
from hakaru.facts.traces.layout import CALL, COUNTER, HEADER, RUNNING, Header


@dataclass
class Counter:
    """What one rank did with one call over the whole run."""

    calls: int
    bytes_sent: int
    bytes_received: int
    ticks: int
    cost_ticks: int
    cost_samples: int
    least_cost_ticks: int
    covered: bool
    class_name: str


@dataclass
class Item:
    """``object`` is the local number of the communicator, window or file; other values by name."""

    kind: str
    flags: int
    object: int
    request: int
    values: dict[str, int | list[int]] = field(default_factory=dict)

    def __getattr__(self, name: str) -> int | list[int]:
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass
class Record:
    call: str
    thread: int
    enter: int
    leave: int
    items: list[Item]


@dataclass
class Communicator:
    """``local`` and ``remote``: ranks of the world, None where this file does not list them."""

    kind: int
    global_id: int
    parent: int
    own_rank: int
    size: int
    remote_size: int
    local: list[int] | None
    remote: list[int] | None
    neighbours_in: list[int]
    neighbours_out: list[int]
    name: str = ""
    grid: bool = False  # its topology is Cartesian


@dataclass(frozen=True)
class Window:
    kind: int
    global_id: int
    communicator: int
    displacement_unit: int
    bytes: int


@dataclass(frozen=True)
class OpenedFile:
    communicator: int
    name: str
    mode: int
    global_id: int


@dataclass
class Definitions:
    """By their local numbers."""

    strings: dict[int, str] = field(default_factory=dict)
    communicators: dict[int, Communicator] = field(default_factory=dict)
    windows: dict[int, Window] = field(default_factory=dict)
    files: dict[int, OpenedFile] = field(default_factory=dict)


class DamagedTrace(UserError):
    """The bytes contradict the format."""

    def __init__(self, path: Path, why: str):
        super().__init__(f"{path} cannot be read", why, "record the run again", ENVIRONMENT)


class RawFile:
    """One rank's file. ``definitions`` fills while ``records()`` is read."""

    def __init__(self, path: Path):
        self.path = Path(path)
        with open(path, "rb") as file:
            try:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:
                raise DamagedTrace(self.path, "it is empty") from None
        self._read_header()
        self.definitions = Definitions()

    def _read_header(self) -> None:
        if len(self._data) < HEADER.size:
            raise DamagedTrace(self.path, "it ends inside its header")
        header = Header.unpacked(self._data)
        if header.magic != layout.MAGIC:
            raise DamagedTrace(self.path, "it does not begin as a raw trace does")
        if header.endian != layout.ENDIAN or header.version != layout.VERSION:
            raise DamagedTrace(self.path, f"version {header.version} or byte order is another one")
        self.header = header
        if header.counters_offset + header.call_count * COUNTER.size > len(self._data):
            raise DamagedTrace(self.path, "it ends inside its counters")
        self.calls = [
            CALL.unpack_from(self._data, header.calls_offset + i * CALL.size)
            for i in range(header.call_count)
        ]
        self.call_names = [layout.text(call[0]) for call in self.calls]

    @property
    def open_call(self) -> str | None:
        """The call that the process was in when it was killed."""
        number = self.header.open_call
        return self.call_names[number - 1] if self.header.status == RUNNING and number else None

    def counters(self) -> dict[str, Counter]:
        """By name, those that were called."""
        found = {}
        for i, (_, coverage, _, class_id) in enumerate(self.calls):
            numbers = COUNTER.unpack_from(self._data, self.header.counters_offset + i * COUNTER.size)
            if numbers[0]:
                found[self.call_names[i]] = Counter(
                    *numbers, coverage != layout.UNCOVERED, layout.CLASSES[class_id]
                )
        return found

    def records(self) -> Iterator[Record]:
        """Every record until the clean end, or until the process was killed."""
        data, at, thread = self._data, self.header.records_offset, 0
        running = self.header.status == RUNNING
        end = len(data) if running else self.header.records_end
        if end > len(data):
            raise DamagedTrace(self.path, f"it ends at byte {len(data)}, its records at {end}")
        while at + 8 <= end:
            head, duration = struct.unpack_from("<II", data, at)
            words = head >> 12
            if words == 0 and running:
                return
            if words == 0 or at + 8 * words > end:
                raise DamagedTrace(self.path, f"the record at byte {at} has an impossible length")
            if head & 0xFFF == layout.META:
                thread = self._define(duration, at + 8, at + 8 * words, thread)
            else:
                yield self._record(head & 0xFFF, duration, at, at + 8 * words, thread)
            at += 8 * words

    def _record(self, call: int, duration: int, at: int, end: int, thread: int) -> Record:
        if call >= len(self.call_names) or end - at < 16:
            raise DamagedTrace(self.path, f"the record at byte {at} has no known call")
        (enter,) = struct.unpack_from("<Q", self._data, at + 8)
        leave, at = enter + duration, at + 16
        if duration == layout.LONG:
            (leave,) = struct.unpack_from("<Q", self._data, at + 8)
            at += 16
        items = []
        while at < end:
            item, at = self._item(at)
            items.append(item)
        if at != end:
            raise DamagedTrace(self.path, f"an item runs over the end of its record at byte {end}")
        return Record(self.call_names[call], thread, enter, leave, items)

    def _item(self, at: int) -> tuple[Item, int]:
        what, request = struct.unpack_from("<II", self._data, at)
        kind, flags, number = what & 0xFF, (what >> 8) & 0xF, what >> 12
        if kind in layout.SINGLES:
            return Item(layout.SINGLES[kind], flags, number, request), at + 8
        if kind in layout.MESSAGES:
            peer, tag, size = struct.unpack_from("<iiQ", self._data, at + 8)
            values = {"peer": peer, "tag": tag, "bytes": size}
            return Item(layout.MESSAGES[kind], flags, number, request, values), at + 24
        if kind in layout.COUNTS:
            letter = "i" if kind == layout.GROUP else "Q" if flags & 1 else "I"
            counts = list(struct.unpack_from(f"<{request}{letter}", self._data, at + 8))
            length = request * (8 if letter == "Q" else 4)
            return Item(layout.COUNTS[kind], flags, number, 0, {"counts": counts}), at + 8 + (
                length + 7
            ) // 8 * 8
        if kind not in layout.FIXED:
            raise DamagedTrace(self.path, f"the item at byte {at} is of unknown kind {kind}")
        name, form, names = layout.FIXED[kind]
        values = dict(zip(names, struct.unpack_from(form, self._data, at + 8), strict=True))
        return Item(name, flags, number, request, values), at + 8 + struct.calcsize(form)

    def _define(self, kind: int, at: int, end: int, thread: int) -> int:
        """Reads a meta record; returns the thread of the following calls."""
        data, d = self._data, self.definitions
        if kind == layout.STRING:
            number, length = struct.unpack_from("<II", data, at)
            d.strings[number] = data[at + 8 : at + 8 + length].decode(errors="replace")
        elif kind == layout.COMMUNICATOR:
            self._define_communicator(at)
        elif kind == layout.COMMUNICATOR_NAME:
            number, string = struct.unpack_from("<II", data, at)
            d.communicators[number].name = d.strings[string]
        elif kind == layout.WINDOW:
            number, *values = struct.unpack_from("<IIQIIQ", data, at)
            d.windows[number] = Window(*values)
        elif kind == layout.FILE:
            number, communicator, name, mode, global_id = struct.unpack_from("<IIIIQ", data, at)
            d.files[number] = OpenedFile(communicator, d.strings[name], mode, global_id)
        elif kind == layout.THREAD:
            return struct.unpack_from("<I", data, at)[0]
        elif kind != layout.FLUSH:
            raise DamagedTrace(self.path, f"the definition before byte {end} is of unknown kind {kind}")
        return thread

    def _define_communicator(self, at: int) -> None:
        form = struct.Struct("<IIQIiiiIiiIII")
        number, kind, global_id, parent, own_rank, size, remote_size, members, first, stride, *counts = (
            form.unpack_from(self._data, at)
        )
        remote_members, sources, destinations = counts
        at += form.size

        def ranks(count: int) -> list[int]:
            nonlocal at
            found = list(struct.unpack_from(f"<{count}i", self._data, at))
            at += 4 * count
            return found

        local = ranks(size) if members == layout.LIST else None
        if members == layout.RANGE:
            local = [first + i * stride for i in range(size)]
        remote = ranks(remote_size) if remote_members == layout.LIST else None
        neighbours = ranks(sources), ranks(destinations)
        self.definitions.communicators[number] = Communicator(
            kind,
            global_id,
            parent,
            own_rank,
            size,
            remote_size,
            local,
            remote,
            *neighbours,
            grid=bool(remote_members & layout.GRID),
        )


def raw_files(folder: Path) -> list[RawFile]:
    """The ranks' files in order of rank, those of spawned worlds last. Files without a header (a rank killed while starting) are left out."""
    found = []
    for path in sorted(Path(folder).glob("*.hkr")):
        if path.stat().st_size >= HEADER.size and _begins_as_one(path):
            found.append(RawFile(path))
    return sorted(found, key=lambda file: (file.header.spawned, file.header.rank))


def _begins_as_one(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(len(layout.MAGIC)) == layout.MAGIC
