"""The bytes of a raw trace as native/trace/raw.h lays them down, which is the law: header, call table, counters, records, items."""

import struct
from dataclasses import astuple, dataclass, fields
from typing import Self

MAGIC, VERSION, ENDIAN = b"HAKARUT1", 4, 0x01020304
HEADER_BYTES = 4096
HEADER = struct.Struct(
    "<8sII QQQ IiiIIi QQ QQQQ IIQqQ IIQqQ IIII Ii QQQQQ IIQ 256s64s512s1024s Q 128x QQ Q QQ"
)
CALL = struct.Struct("<56sIHH")
COUNTER = struct.Struct("<QQQQ QQQ")
RUNNING, FINALIZED, ABORTED, EXITED = range(4)
COVERED, UNCOVERED = 1, 2
META, LONG = 4095, 0xFFFFFFFF
CLASSES = (
    "other",
    "point_to_point",
    "completion",
    "probe",
    "collective",
    "communicator",
    "one_sided",
    "file",
    "environment",
    "datatype",
)

MESSAGES = {2: "send", 3: "recv", 4: "isend", 5: "irecv", 6: "recv_done", 7: "probed"}
SINGLES = {
    8: "send_done", 9: "not_done", 10: "cancelled", 11: "cancel", 12: "freed", 13: "collective_done", 14: "rma_done",
    16: "other_done", 20: "communicator_made", 21: "communicator_freed", 22: "window_made", 23: "window_freed",
    27: "file_opened", 28: "file_closed", 30: "phase_begin", 31: "phase_end", 32: "recording_off", 33: "recording_on",
    35: "pieces",
}  # fmt: skip
GROUP = 26
COUNTS = {18: "sent_to", 19: "received_from", GROUP: "group"}
# kind -> (name, layout, names) of items of a fixed length
FIXED = {
    17: ("collective", "<iIQQ", ("root", "mode", "sent", "received")),
    24: ("rma", "<iIQQ", ("target", "operation", "put", "got")),
    25: ("rma_sync", "<iI", ("target", "detail")),
    34: ("remote", "<iiiIQQ", ("target", "received_flag", "sent_flag", "reserved", "bytes", "items")),
    29: ("file", "<IIqQ", ("operation", "mode", "offset", "bytes")),
    36: ("delayed", "<Q", ("ns",)),
    37: ("sensed", "<Q", ("ticks",)),
    15: ("file_done", "<IIqQ", ("operation", "mode", "offset", "bytes")),
}
KINDS = {name: kind for kind, name in (MESSAGES | SINGLES | COUNTS).items()} | {
    name: kind for kind, (name, _, _) in FIXED.items()
}
STRING, COMMUNICATOR, COMMUNICATOR_NAME, WINDOW, FILE, THREAD, FLUSH = range(1, 8)  # definitions
NO_LIST, RANGE, LIST = range(3)  # how members of a communicator are told
GRID = 256  # beside that of remote members


@dataclass(frozen=True)
class Header:
    """Of one rank's file. Offsets in B; times in ticks and ns as raw.h says; ``open_call``: number of the call + 1, 0: outside MPI."""

    magic: bytes = MAGIC
    version: int = VERSION
    endian: int = ENDIAN
    calls_offset: int = HEADER_BYTES
    counters_offset: int = 0
    records_offset: int = 0
    call_count: int = 0
    rank: int = 0
    world_size: int = 1
    clock: int = 1
    mpi_kind: int = 0
    thread_level: int = 0
    process_id: int = 0
    start_realtime_ns: int = 0
    start_ticks: int = 0
    start_monotonic_ns: int = 0
    last_ticks: int = 0
    last_monotonic_ns: int = 0
    first_valid: int = 0
    first_exchanges: int = 0
    first_monotonic_ns: int = 0
    first_offset_ns: int = 0
    first_round_trip_ns: int = 0
    second_valid: int = 0
    second_exchanges: int = 0
    second_monotonic_ns: int = 0
    second_offset_ns: int = 0
    second_round_trip_ns: int = 0
    mpi_version: int = 0
    mpi_subversion: int = 0
    spawned: int = 0
    threads: int = 1
    status: int = RUNNING
    status_code: int = 0
    records_end: int = 0
    records: int = 0
    lost_records: int = 0
    lost_from_ticks: int = 0
    lost_reason: int = 0
    open_call: int = 0
    wrapper_ticks: int = 0
    open_ticks: int = 0
    host: str = ""
    boot_id: str = ""
    program: str = ""
    mpi_library: str = ""
    world_id: int = 0
    inside_ticks: int = 0
    memory_bytes: int = 0
    warm_ticks: int = 0
    long_bytes: int = 0
    large_page_bytes: int = 0

    @classmethod
    def unpacked(cls, data: bytes) -> Self:
        """Of the beginning of a file."""
        values = dict(zip((one.name for one in fields(cls)), HEADER.unpack_from(data), strict=True))
        for name in ("host", "boot_id", "program", "mpi_library"):
            values[name] = text(values[name], "replace")
        return cls(**values)

    def packed(self) -> bytes:
        values = (value.encode() if isinstance(value, str) else value for value in astuple(self))
        return HEADER.pack(*values).ljust(HEADER_BYTES, b"\0")

    @property
    def seconds_per_tick(self) -> float:
        ticks = self.last_ticks - self.start_ticks
        return (self.last_monotonic_ns - self.start_monotonic_ns) * 1e-9 / ticks if ticks > 0 else 1e-9


def text(padded: bytes, errors: str = "strict") -> str:
    return padded.split(b"\0")[0].decode(errors=errors)
