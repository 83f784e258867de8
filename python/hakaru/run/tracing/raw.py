"""The raw trace of one rank, as native/trace/raw.h describes it: header, counters, records. For summaries and tests, not for speed."""

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hakaru.base.errors import ENVIRONMENT, UserError

MAGIC, VERSION, ENDIAN = b"HAKARUT1", 1, 0x01020304
HEADER = struct.Struct("<8sII QQQ IiiIIi QQ QQQQ IIQqQ IIQqQ IIII Ii QQQQQ IIQ 256s64s512s1024s Q")
HEADER_FIELDS = """magic version endian calls_offset counters_offset records_offset call_count rank world_size clock mpi_kind
thread_level process_id start_realtime_ns start_ticks start_monotonic_ns last_ticks last_monotonic_ns
first_valid first_exchanges first_monotonic_ns first_offset_ns first_round_trip_ns
second_valid second_exchanges second_monotonic_ns second_offset_ns second_round_trip_ns
mpi_version mpi_subversion spawned threads status status_code records_end records lost_records lost_from_ticks lost_reason
open_call reserved open_ticks host boot_id program mpi_library world_id""".split()
CALL = struct.Struct("<56sIHH")
COUNTER = struct.Struct("<QQQQ")
RUNNING, FINALIZED, ABORTED, EXITED = range(4)
META, LONG = 4095, 0xFFFFFFFF
CLASSES = (
    "other,point_to_point,completion,probe,collective,communicator,one_sided,file,environment,datatype".split(
        ","
    )
)
UNCOVERED = 2

MESSAGES = {2: "send", 3: "recv", 4: "isend", 5: "irecv", 6: "recv_done", 7: "probed"}
SINGLES = {
    8: "send_done", 9: "not_done", 10: "cancelled", 11: "cancel", 12: "freed", 13: "collective_done", 14: "rma_done",
    16: "other_done", 20: "communicator_made", 21: "communicator_freed", 22: "window_made", 23: "window_freed",
    27: "file_opened", 28: "file_closed", 30: "phase_begin", 31: "phase_end", 32: "recording_off", 33: "recording_on",
}  # fmt: skip
COUNTS = {18: "sent_to", 19: "received_from", 26: "group"}
COLLECTIVE, RMA, RMA_SYNC, FILE, FILE_DONE, REMOTE = 17, 24, 25, 29, 15, 34


@dataclass
class Counter:
    """What one rank did with one call over the whole run."""

    calls: int
    bytes_sent: int
    bytes_received: int
    ticks: int
    covered: bool
    class_name: str


@dataclass
class Item:
    """``object`` is the local number of the communicator, window or file; other values by name."""

    kind: str
    flags: int
    object: int
    request: int
    values: dict[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
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
class Definitions:
    strings: dict[int, str] = field(default_factory=dict)
    communicators: dict[int, dict[str, Any]] = field(default_factory=dict)
    windows: dict[int, dict[str, Any]] = field(default_factory=dict)
    files: dict[int, dict[str, Any]] = field(default_factory=dict)


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
        values = dict(zip(HEADER_FIELDS, HEADER.unpack_from(self._data), strict=True))
        if values["magic"] != MAGIC:
            raise DamagedTrace(self.path, "it does not begin as a raw trace does")
        if values["endian"] != ENDIAN or values["version"] != VERSION:
            raise DamagedTrace(self.path, f"version {values['version']} or byte order is another one")
        for name in ("host", "boot_id", "program", "mpi_library"):
            values[name] = values[name].split(b"\0")[0].decode(errors="replace")
        self.header = values
        if values["counters_offset"] + values["call_count"] * COUNTER.size > len(self._data):
            raise DamagedTrace(self.path, "it ends inside its counters")
        self.calls = [
            CALL.unpack_from(self._data, values["calls_offset"] + i * CALL.size)
            for i in range(values["call_count"])
        ]
        self.call_names = [call[0].split(b"\0")[0].decode() for call in self.calls]

    @property
    def seconds_per_tick(self) -> float:
        h = self.header
        ticks = h["last_ticks"] - h["start_ticks"]
        return (h["last_monotonic_ns"] - h["start_monotonic_ns"]) * 1e-9 / ticks if ticks > 0 else 1e-9

    @property
    def open_call(self) -> str | None:
        """The call that the process was in when it was killed."""
        number = self.header["open_call"]
        return self.call_names[number - 1] if self.header["status"] == RUNNING and number else None

    def counters(self) -> dict[str, Counter]:
        """By name, those that were called."""
        found = {}
        for i, (_, coverage, _, class_id) in enumerate(self.calls):
            numbers = COUNTER.unpack_from(self._data, self.header["counters_offset"] + i * COUNTER.size)
            if numbers[0]:
                found[self.call_names[i]] = Counter(*numbers, coverage != UNCOVERED, CLASSES[class_id])
        return found

    def records(self) -> Iterator[Record]:
        """Every record until the clean end, or until the process was killed."""
        data, at, thread = self._data, self.header["records_offset"], 0
        running = self.header["status"] == RUNNING
        end = len(data) if running else self.header["records_end"]
        if end > len(data):
            raise DamagedTrace(self.path, f"it ends at byte {len(data)}, its records at {end}")
        while at + 8 <= end:
            head, duration = struct.unpack_from("<II", data, at)
            words = head >> 12
            if words == 0 and running:
                return
            if words == 0 or at + 8 * words > end:
                raise DamagedTrace(self.path, f"the record at byte {at} has an impossible length")
            if head & 0xFFF == META:
                thread = self._define(duration, at + 8, at + 8 * words, thread)
            else:
                yield self._record(head & 0xFFF, duration, at, at + 8 * words, thread)
            at += 8 * words

    def _record(self, call: int, duration: int, at: int, end: int, thread: int) -> Record:
        if call >= len(self.call_names) or end - at < 16:
            raise DamagedTrace(self.path, f"the record at byte {at} has no known call")
        (enter,) = struct.unpack_from("<Q", self._data, at + 8)
        leave, at = enter + duration, at + 16
        if duration == LONG:
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
        if kind in SINGLES:
            return Item(SINGLES[kind], flags, number, request), at + 8
        if kind in MESSAGES:
            peer, tag, size = struct.unpack_from("<iiQ", self._data, at + 8)
            return Item(
                MESSAGES[kind], flags, number, request, {"peer": peer, "tag": tag, "bytes": size}
            ), at + 24
        if kind in COUNTS:
            letter = "i" if kind == 26 else "Q" if flags & 1 else "I"
            counts = list(struct.unpack_from(f"<{request}{letter}", self._data, at + 8))
            length = request * (8 if letter == "Q" else 4)
            return Item(COUNTS[kind], flags, number, 0, {"counts": counts}), at + 8 + (length + 7) // 8 * 8
        layouts = {
            COLLECTIVE: ("collective", "<iIQQ", ("root", "mode", "sent", "received")),
            RMA: ("rma", "<iIQQ", ("target", "operation", "put", "got")),
            RMA_SYNC: ("rma_sync", "<iI", ("target", "detail")),
            REMOTE: (
                "remote",
                "<iiiIQQ",
                ("target", "received_flag", "sent_flag", "reserved", "bytes", "items"),
            ),
            FILE: ("file", "<IIqQ", ("operation", "mode", "offset", "bytes")),
            FILE_DONE: ("file_done", "<IIqQ", ("operation", "mode", "offset", "bytes")),
        }
        if kind not in layouts:
            raise DamagedTrace(self.path, f"the item at byte {at} is of unknown kind {kind}")
        name, layout, names = layouts[kind]
        values = dict(zip(names, struct.unpack_from(layout, self._data, at + 8), strict=True))
        return Item(name, flags, number, request, values), at + 8 + struct.calcsize(layout)

    def _define(self, kind: int, at: int, end: int, thread: int) -> int:
        """Reads a meta record; returns the thread of the following calls."""
        data, d = self._data, self.definitions
        if kind == 1:
            number, length = struct.unpack_from("<II", data, at)
            d.strings[number] = data[at + 8 : at + 8 + length].decode(errors="replace")
        elif kind == 2:
            self._define_communicator(at)
        elif kind == 3:
            number, string = struct.unpack_from("<II", data, at)
            d.communicators[number]["name"] = d.strings[string]
        elif kind == 4:
            names = ("id", "kind", "global_id", "communicator", "displacement_unit", "bytes")
            values = dict(zip(names, struct.unpack_from("<IIQIIQ", data, at), strict=True))
            d.windows[values["id"]] = values
        elif kind == 5:
            names = ("id", "communicator", "name", "mode", "global_id")
            values = dict(zip(names, struct.unpack_from("<IIIIQ", data, at), strict=True))
            d.files[values["id"]] = values | {"name": d.strings[values["name"]]}
        elif kind == 6:
            return struct.unpack_from("<I", data, at)[0]
        else:
            raise DamagedTrace(self.path, f"the definition before byte {end} is of unknown kind {kind}")
        return thread

    def _define_communicator(self, at: int) -> None:
        names = "id kind global_id parent own_rank size remote_size members first stride remote_members sources destinations"
        layout = struct.Struct("<IIQIiiiIiiIII")
        c = dict(zip(names.split(), layout.unpack_from(self._data, at), strict=True))
        at += layout.size

        def ranks(count: int) -> list[int]:
            nonlocal at
            found = list(struct.unpack_from(f"<{count}i", self._data, at))
            at += 4 * count
            return found

        local = ranks(c["size"]) if c["members"] == 2 else None
        if c["members"] == 1:
            local = [c["first"] + i * c["stride"] for i in range(c["size"])]
        remote = ranks(c["remote_size"]) if c["remote_members"] == 2 else None
        c |= {"local": local, "remote": remote, "neighbours_in": ranks(c["sources"])}
        c["neighbours_out"] = ranks(c["destinations"])
        self.definitions.communicators[c["id"]] = c


def raw_files(folder: Path) -> list[RawFile]:
    """The ranks' files in order of rank, those of spawned worlds last. Files without a header (a rank killed while starting) are left out."""
    found = []
    for path in sorted(Path(folder).glob("*.hkr")):
        if path.stat().st_size >= HEADER.size and path.read_bytes()[:8] == MAGIC:
            found.append(RawFile(path))
    return sorted(found, key=lambda file: (file.header["spawned"], file.header["rank"]))
