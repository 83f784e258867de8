"""Phases of a run that nobody described: regions of MPI_Pcontrol where there are any, else computing, files and each kind of MPI call."""

from collections.abc import Mapping
from dataclasses import dataclass

from hakaru.facts.programs.command import COMPUTING
from hakaru.facts.records.record import STARTING
from hakaru.facts.traces.summary import TraceSummary
from hakaru.run.measuring.tracing import Seen

SMALL = 0.005  # of the run: calls that take less are one phase together
OTHER_CALLS = "other MPI calls"
FILES = "files"
OUTSIDE = "outside of regions"
STARTS = ("MPI_Init", "MPI_Finalize")
MOST = 0.5  # of the time between MPI's beginning and end: shares of the whole tell little of what is less
MPI_FILES = ("MPI_File_",)

Times = dict[str, float]
Kinds = dict[str, str]


@dataclass(frozen=True)
class Parts:
    """``shares`` of the time between MPI's beginning and end, or of a rank's whole time without MPI: a mean over ranks; they add up to 1.
    ``seconds``: that time, None where it is the rank's."""

    shares: Mapping[str, float]
    kinds: Mapping[str, str]
    seconds: float | None


def of_launch(seen: Seen, ranks: int, rank_s: float) -> Parts | None:
    """None where nothing tells parts. ``rank_s``: mean time of a rank."""
    if seen.summary:
        return _of_trace(seen.summary, seen.files_s / ranks)
    files_s = seen.files_s / ranks
    if files_s < SMALL * rank_s or rank_s <= 0.0:
        return None
    share = min(files_s / rank_s, 1.0)
    return Parts({COMPUTING: 1.0 - share, FILES: share}, {COMPUTING: "compute", FILES: "io"}, None)


def of_printed(parts: Parts, printed_s: float) -> Parts | None:
    """Of a time that the program takes and prints: MPI was begun before and is ended after it. None where it is a smaller part of the
    run, of which nothing tells what is in it."""
    own = {name: share for name, share in parts.shares.items() if name != STARTING}
    inside = sum(own.values())
    if parts.seconds is None or inside <= 0.0:
        return parts
    if printed_s < MOST * inside * parts.seconds:
        return None
    kinds = {name: parts.kinds[name] for name in own}
    return Parts({name: share / inside for name, share in own.items()}, kinds, parts.seconds)


def _of_trace(summary: TraceSummary, files_s: float) -> Parts | None:
    """None for a trace in which no time passes."""
    ranks = len(summary.ranks)
    mean_s = sum(rank.end_s - rank.begin_s for rank in summary.ranks) / max(ranks, 1)
    if mean_s <= 0.0:
        return None
    times, kinds, rest = (
        _regions(summary) if any(one.name for one in summary.phases) else _calls(summary, mean_s)
    )
    left_s = max(mean_s - sum(times.values()), 0.0)
    if rest == COMPUTING and files_s >= SMALL * mean_s:
        times[FILES], kinds[FILES] = min(files_s, left_s), "io"
        left_s -= times[FILES]
    times, kinds = {rest: left_s} | times, {rest: "compute"} | kinds
    whole = sum(times.values())
    return Parts({name: time / whole for name, time in times.items()}, kinds, mean_s)


def _regions(summary: TraceSummary) -> tuple[Times, Kinds, str]:
    named = [one for one in summary.phases if one.name]
    kinds = {one.name: _kind_of_region(one.time_by_kind) for one in named}
    return {one.name: one.mean_s for one in named}, kinds, OUTSIDE


def _kind_of_region(time_by_kind: Mapping[str, float]) -> str:
    """What a region does most, by the kinds of what ran in it."""
    computing, files = time_by_kind.get("compute", 0.0), time_by_kind.get("io", 0.0)
    rest = sum(time_by_kind.values()) - computing - files
    most_s, most = max((computing, "compute"), (files, "io"), (rest, "communicate"))
    return most if most_s > 0.0 else "compute"


def _calls(summary: TraceSummary, mean_s: float) -> tuple[Times, Kinds, str]:
    times: Times = {}
    for call in summary.calls:
        share_s = call.seconds / len(summary.ranks)
        if call.name.startswith(STARTS):
            name = STARTING
        else:
            name = call.name if share_s >= SMALL * mean_s else OTHER_CALLS
        times[name] = times.get(name, 0.0) + share_s
    times = {name: time for name, time in times.items() if time > 0.0}
    return times, {name: _kind_of_call(name) for name in times}, COMPUTING


def _kind_of_call(name: str) -> str:
    if name == STARTING:
        return "idle"
    return "io" if name.startswith(MPI_FILES) else "communicate"
