"""What a traced run did, from the counters of its raw files."""

import os
from collections import defaultdict
from dataclasses import dataclass, field

from hakaru.base.errors import UserError
from hakaru.facts.traces.layout import ABORTED, EXITED, FINALIZED
from hakaru.facts.traces.raw import RawFile
from hakaru.facts.traces.trace import TraceFolder

PROBLEMS_SHOWN = 8


@dataclass
class CallTotal:
    """Sums over all ranks."""

    name: str
    class_name: str
    calls: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    seconds: float = 0.0


@dataclass
class Summary:
    """``problems`` are sentences for people: ranks without a clean end, lost records, missing files."""

    ranks: int
    world_size: int
    records: int
    raw_bytes: int
    mpi_library: str
    calls: list[CallTotal] = field(default_factory=list)
    uncovered: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def _end_of(file: RawFile) -> str | None:
    """What was wrong with the end of this rank, or None."""
    header = file.header
    rank = f"rank {header.rank}" + (
        f" of a spawned world (process {header.process_id})" if header.spawned else ""
    )
    if header.status == FINALIZED:
        return None
    if header.status == ABORTED:
        return f"{rank} called MPI_Abort with {header.status_code}"
    if header.status == EXITED:
        return f"{rank} ended without MPI_Finalize"
    return f"{rank} was killed" + (f" inside {file.open_call}" if file.open_call else " outside of MPI")


def summarise(folder: TraceFolder) -> Summary | None:
    """None when nothing was recorded."""
    files = folder.raw_files()
    if not files:
        return None
    totals: dict[str, CallTotal] = {}
    uncovered: dict[str, int] = defaultdict(int)
    for file in files:
        for name, counter in file.counters().items():
            if not counter.covered:
                uncovered[name] += counter.calls
                continue
            total = totals.setdefault(name, CallTotal(name, counter.class_name))
            total.calls += counter.calls
            total.bytes_sent += counter.bytes_sent
            total.bytes_received += counter.bytes_received
            total.seconds += counter.ticks * file.header.seconds_per_tick
    own = [file for file in files if not file.header.spawned]
    return Summary(
        ranks=len(files),
        world_size=max((file.header.world_size for file in own), default=0),
        records=sum(file.header.records for file in files),
        raw_bytes=sum(file.path.stat().st_size for file in files),
        mpi_library=files[0].header.mpi_library.split(",")[0].replace("\t", " "),
        calls=sorted(totals.values(), key=lambda total: -total.seconds),
        uncovered=dict(sorted(uncovered.items())),
        problems=_problems(files, own),
    )


def _problems(files: list[RawFile], own: list[RawFile]) -> list[str]:
    problems = [end for file in files if (end := _end_of(file))]
    for file in files:
        if file.header.lost_records or file.header.lost_reason:
            why = os.strerror(file.header.lost_reason)
            problems.append(f"rank {file.header.rank} lost its last {file.header.lost_records} calls ({why})")
    there = {file.header.rank for file in own}
    size = max((file.header.world_size for file in own), default=0)
    missing = [rank for rank in range(size) if rank not in there]
    if missing:
        shown = ", ".join(map(str, missing[:PROBLEMS_SHOWN])) + (
            ", ..." if len(missing) > PROBLEMS_SHOWN else ""
        )
        problems.append(
            f"no file of {len(missing)} of {size} ranks: {shown} (another host's disk, or no space)"
        )
    return problems


def nothing_recorded(program: str, uses_mpi: bool, status: int) -> UserError:
    if not uses_mpi:
        why = f"{program} uses no shared MPI library"
        return UserError("nothing was recorded", why, "trace an MPI program", exit_code=status or 2)
    why = "no rank came through MPI_Init, or the tracer did not reach the ranks"
    return UserError(
        "nothing was recorded", why, "check that the program calls MPI_Init", exit_code=status or 2
    )


def lines(summary: Summary, most: int = 12) -> list[str]:
    """The summary as text."""
    ranks = "1 rank" if summary.ranks == 1 else f"{summary.ranks} ranks"
    text = [f"{ranks}, {summary.mpi_library}: {summary.records} records, {summary.raw_bytes} bytes"]
    text.append(f"  {'call':28s} {'calls':>10s} {'sent, B':>14s} {'received, B':>14s} {'s, all ranks':>13s}")
    for call in summary.calls[:most]:
        text.append(
            f"  {call.name:28s} {call.calls:10d} {call.bytes_sent:14d} {call.bytes_received:14d} {call.seconds:13.6f}"
        )
    if len(summary.calls) > most:
        text.append(f"  and {len(summary.calls) - most} other calls")
    if summary.uncovered:
        counted = ", ".join(f"{name} ({count})" for name, count in summary.uncovered.items())
        text.append(f"not covered, only counted: {counted}")
    problems = summary.problems
    text += [f"attention: {problem}" for problem in problems[:PROBLEMS_SHOWN]]
    if len(problems) > PROBLEMS_SHOWN:
        text.append(f"attention: {len(problems) - PROBLEMS_SHOWN} more of this kind")
    return text
