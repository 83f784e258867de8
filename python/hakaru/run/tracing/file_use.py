"""Which files a run used, from what the watcher left of each process; bytes that were written twice, or by nobody."""

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.facts.traces.file_use import (
    SCHEMA,
    FileProcess,
    FileUse,
    Hole,
    Places,
    Twice,
    Use,
    UsedFile,
    process_name,
)
from hakaru.facts.traces.watched import (
    MANY,
    MAPPED,
    UNTOLD,
    Change,
    DamagedUse,
    Run,
    WatchedFile,
    WatchedProcess,
)
from hakaru.run.tracing import intervals
from hakaru.run.tracing.intervals import Intervals

USES = "*.hkf"
SHOWN = 20  # of each kind, of one file
MOST_PIECES = 20_000_000  # of one file
MOST_CHECKED = 64 << 20  # bytes of holes that are looked at in one file
UNSEEN = (
    "it holds bytes that nobody was seen to write (by a program without the tracer, or into a mapped file)"
)
UNKNOWN = {
    MAPPED: "it was mapped into memory for writing, and stores are not seen",
    UNTOLD: "some bytes were written at places that are not known (appended by a C stream, by a shared file pointer, "
    "by several threads at one descriptor, or copied inside the kernel)",
    MANY: "more pieces were written than are kept",
}


@dataclass
class _Shared:
    """One file as all processes saw it; ``runs``: by process."""

    path: str
    type: str
    flags: int = 0
    first: tuple[int, int] = (2**64, 0)  # when it was met first, and its size then
    bytes: int = 0
    uses: list[Use] = field(default_factory=list)
    runs: dict[int, list[Run]] = field(default_factory=lambda: defaultdict(list))
    changes: list[Change] = field(default_factory=list)
    incomplete: bool = False
    node: int = 0


def file_use(raw: Path) -> FileUse | None:
    """None when nothing used a file."""
    processes, warnings = [], []
    for path in sorted(raw.glob(USES)):
        try:
            processes.append(WatchedProcess.read(path))
        except DamagedUse as damage:
            warnings.append(str(damage))
    if not processes and not warnings:
        return None
    processes.sort(key=lambda one: (one.world_id, one.rank, one.host, one.process_id))
    told = tuple(_process(one) for one in processes)
    for one, who in zip(processes, told, strict=True):
        warnings += _warnings(one, process_name(who))
    files = [_used(shared) for shared in _merged(processes)]
    files.sort(key=lambda one: (-(one.bytes_read + one.bytes_written), -one.calls, one.path))
    return FileUse(schema=SCHEMA, processes=told, files=tuple(files), warnings=tuple(warnings))


def _process(one: WatchedProcess) -> FileProcess:
    return FileProcess(
        rank=one.rank if one.rank >= 0 else None,
        world=f"{one.world_id:x}",
        host=one.host,
        process_id=one.process_id,
        program=one.program,
        complete=one.ended and not one.lost_records,
    )


def _warnings(one: WatchedProcess, who: str) -> list[str]:
    found = []
    if one.lost_reason:
        found.append(f"{who}: the use of files is not complete ({os.strerror(one.lost_reason)})")
    if one.lost_calls:
        found.append(f"{who}: {one.lost_calls} calls by signal handlers are not counted")
    return found


def _merged(processes: list[WatchedProcess]) -> Iterable[_Shared]:
    """A file is one where path and inode agree; what hosts call its device may differ."""
    found: dict[tuple, _Shared] = {}
    for number, process in enumerate(processes):
        of: dict[int, _Shared] = {}
        for file in process.files.values():
            of[file.number] = found.setdefault(_key(file), _Shared(file.name, file.type))
            _join(of[file.number], file, process)
        for row in process.rows:
            seconds = row.time_ns * 1e-9
            use = Use(
                process=number,
                phase=row.phase,
                layer=row.layer,
                operation=row.operation,
                calls=row.calls,
                failed=row.failed,
                bytes=row.bytes,
                seconds=seconds,
            )
            of[row.file].uses.append(use)
        for run in process.runs:
            of[run.file].runs[number].append(run)
        for change in process.changes:
            of[change.file].changes.append(change)
    return [shared for shared in found.values() if any(use.layer != "below mpi" for use in shared.uses)]


def _key(file: WatchedFile) -> tuple:
    return (file.type, file.name, file.node if file.type == "regular" else 0)


def _join(shared: _Shared, file: WatchedFile, process: WatchedProcess) -> None:
    shared.flags |= file.flags
    shared.node = file.node
    shared.first = min(shared.first, (file.first_ns, file.first_bytes))
    shared.bytes = max(shared.bytes, file.last_bytes)
    shared.incomplete |= process.lost_records > 0


def _used(shared: _Shared) -> UsedFile:
    by_program = [use for use in shared.uses if use.layer != "below mpi"]

    def moved(operation: str) -> int:
        return sum(use.bytes for use in by_program if use.operation == operation)

    return UsedFile(
        path=shared.path,
        type=shared.type,
        calls=sum(use.calls for use in by_program),
        bytes_read=moved("read"),
        bytes_written=moved("write"),
        seconds=sum(use.seconds for use in by_program),
        processes=len({use.process for use in shared.uses}),
        uses=tuple(sorted(shared.uses, key=lambda use: (use.process, use.phase, use.layer, use.operation))),
        places=_places(shared)
        if shared.type == "regular" and (shared.runs or shared.flags & MAPPED)
        else None,
    )


# ---------------------------------------------------------------- places


def _places(shared: _Shared) -> Places:
    unknown = [why for flag, why in UNKNOWN.items() if shared.flags & flag]
    if shared.incomplete:
        unknown.append("a process could not record all of its writing")
    pieces = sum(run.count for runs in shared.runs.values() for run in runs)
    if pieces > MOST_PIECES:
        return Places(
            bytes=shared.bytes, unknown=(UNKNOWN[MANY],), twice=(), twice_bytes=0, holes=(), hole_bytes=0
        )
    changes = sorted(shared.changes, key=lambda change: change.time_ns)
    alive = {who: [(run, _alive(run, changes)) for run in runs] for who, runs in shared.runs.items()}
    owned = {who: intervals.union([part for _, part in parts]) for who, parts in alive.items()}
    twice = intervals.several(list(owned.values()))
    every = intervals.union(list(owned.values()))
    end = max(shared.bytes, int(every[-1, 1]) if len(every) else 0)
    before = min([shared.first[1], *(change.size for change in changes)])
    holes = intervals.NONE if unknown else intervals.without(every, before, end)
    if _holds_something(shared, holes):
        unknown, holes = [UNSEEN], intervals.NONE
    return Places(
        bytes=end,
        unknown=tuple(unknown),
        twice=tuple(_twice(int(a), int(b), alive, owned) for a, b in twice[:SHOWN]),
        twice_bytes=intervals.size(twice),
        holes=tuple(Hole(first=int(a), last=int(b) - 1) for a, b in holes[:SHOWN]),
        hole_bytes=intervals.size(holes),
    )


def _holds_something(shared: _Shared, holes: Intervals) -> bool:
    """Whether the file, where it is still there, has other bytes than 0 in the holes: then some writing was not seen."""
    left = MOST_CHECKED
    try:
        with open(shared.path, "rb") as file:
            if os.fstat(file.fileno()).st_ino != shared.node:
                return False
            for begin, end in holes.tolist():
                file.seek(begin)
                while begin < end and left > 0 and (data := file.read(min(end - begin, left, 1 << 20))):
                    if data.strip(b"\0"):
                        return True
                    begin, left = begin + len(data), left - len(data)
    except OSError:
        return False
    return False


def _alive(run: Run, changes: list[Change]) -> Intervals:
    """What later changes of the file's size left of it."""
    part = intervals.pieces(run.begin, run.length, run.stride, run.count)
    for change in changes:
        if run.last_ns <= change.time_ns:
            part = intervals.cut(part, change.size)
    return part


def _twice(begin: int, end: int, alive: dict, owned: dict[int, Intervals]) -> Twice:
    who = [one for one in sorted(owned) if intervals.meets(owned[one], begin, end)]
    spans = [
        [(run.open_ns, run.close_ns) for run, part in alive[one] if intervals.meets(part, begin, end)]
        for one in who
    ]
    at_once = any(
        a[0] < b[1] and b[0] < a[1]
        for i, mine in enumerate(spans)
        for other in spans[i + 1 :]
        for a in mine
        for b in other
    )
    return Twice(first=begin, last=end - 1, processes=tuple(who), at_once=at_once)
