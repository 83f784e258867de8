"""Phases of a run that nobody described: regions of MPI_Pcontrol where there are any, else computing and each kind of MPI call."""

from collections.abc import Mapping
from dataclasses import dataclass

from hakaru.facts.programs.command import COMPUTING
from hakaru.facts.traces.summary import TraceSummary

SMALL = 0.005  # of the run: calls that take less are one phase together
OTHER_CALLS = "other MPI calls"
KINDS = {"compute": "compute", "io": "io"}
STARTING = "starting and ending MPI"
STARTS = ("MPI_Init", "MPI_Finalize")
FILES = ("MPI_File_",)


@dataclass(frozen=True)
class Parts:
    """``shares`` of the time between MPI's beginning and end, a mean over ranks; they add up to 1. ``seconds``: that time."""

    shares: Mapping[str, float]
    kinds: Mapping[str, str]
    seconds: float
    regions: bool


def of_trace(summary: TraceSummary) -> Parts | None:
    """None for a trace in which no time passes."""
    total = sum(rank.end_s - rank.begin_s for rank in summary.ranks)
    if total <= 0.0:
        return None
    ranks = len(summary.ranks)
    mean_s = total / ranks
    named = {one.name: one for one in summary.phases if one.name}
    if named:
        times = {name: one.mean_s for name, one in named.items()}
        kinds = {name: _kind_of_region(one.kind, one.time_by_kind) for name, one in named.items()}
        regions = True
    else:
        times, kinds = _calls(summary, ranks, mean_s)
        regions = False
    rest = max(mean_s - sum(times.values()), 0.0)
    if regions:
        times, kinds = times | {"outside of regions": rest}, kinds | {"outside of regions": "compute"}
    else:
        times, kinds = {COMPUTING: rest} | times, {COMPUTING: "compute"} | kinds
    whole = sum(times.values())
    return Parts({name: time / whole for name, time in times.items()}, kinds, mean_s, regions)


def _kind_of_region(kind: str, time_by_kind: Mapping[str, float]) -> str:
    """What a region does most, by the kinds of what ran in it."""
    computing = time_by_kind.get("compute", 0.0)
    files = time_by_kind.get("io", 0.0)
    rest = sum(time_by_kind.values()) - computing - files
    most = max((computing, "compute"), (files, "io"), (rest, "communicate"))
    return most[1] if most[0] > 0.0 else KINDS.get(kind, "compute")


def _calls(summary: TraceSummary, ranks: int, mean_s: float) -> tuple[dict[str, float], dict[str, str]]:
    times: dict[str, float] = {}
    for call in summary.calls:
        share_s = call.seconds / ranks
        if call.name.startswith(STARTS):
            name = STARTING
        else:
            name = call.name if share_s >= SMALL * mean_s else OTHER_CALLS
        times[name] = times.get(name, 0.0) + share_s
    times = {name: time for name, time in times.items() if time > 0.0}
    return times, {name: _kind_of_call(name) for name in times}


def _kind_of_call(name: str) -> str:
    if name == STARTING:
        return "idle"
    return "io" if name.startswith(FILES) else "communicate"
