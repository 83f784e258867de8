"""What a trace says at once: time by kind, waiting, POP efficiencies, critical path, who talks to whom; kept beside the archive."""

from pathlib import Path

import msgspec

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.facts.traces.summary import CriticalPath, Marks, TraceSummary
from hakaru.facts.traces.trace import Trace, TraceFolder
from hakaru.foretell.replay.documents import Options
from hakaru.foretell.replay.documents.network import ideal as ideal_network
from hakaru.foretell.replay.engine import engine

SHOWN_PHASES = 6
WORDS = {
    "point_to_point": "sends and receives",
    "one_sided": "one-sided",
    "wait": "waits",
    "collective": "collectives",
    "other": "other calls",
}
REPLAY = "hakaru replay"  # the creator of archives that a replay wrote
OUTSIDE = "environment"  # MPI_Init and MPI_Finalize: in no share, as in no efficiency
NAMED = ("load_balance", "serialisation", "transfer", "communication", "parallel")


def analyse(trace: Trace, marks: Marks = Marks()) -> TraceSummary:  # noqa: B008
    """The summary with ``ideal`` (its replay when messages cost nothing) and the efficiencies that it tells, where the trace is complete
    and not between marks.

    Raises UserError when the tools are not built or refuse the archive.
    """
    found = trace.summary(marks)
    if not found.complete or marks.any:
        return found
    try:
        ideal = engine(None).replay(trace.path, ideal_network(), Options())
    except UserError:
        return found
    efficiencies = found.efficiencies.replayed(ideal.makespan_s, ideal.breakdown.compute.maximum)
    return msgspec.structs.replace(found, ideal=ideal.as_dict(), efficiencies=efficiencies)


def lines(found: TraceSummary) -> list[str]:
    """The analysis in a few lines for a terminal."""
    first, last = ("its begin", "its end") if found.creator == REPLAY else ("MPI_Init", "MPI_Finalize")
    ends = f"from {found.marks.begin or first} to {found.marks.end or last}"
    text = [f"{ends}: {units.seconds(found.efficiencies.runtime_s)}, the longest of all ranks"]
    text.append(f"time of all ranks: {', '.join(_shares(found))}")
    efficiencies = found.efficiencies.as_dict()
    known = [
        f"{name.replace('_', ' ')} {units.percent(efficiencies[name])}"
        for name in NAMED
        if efficiencies.get(name)
    ]
    if known:
        text.append(f"efficiency (POP): {', '.join(known)}")
    waits = (
        ("late senders", found.late_senders.seconds),
        ("late receivers", found.late_receivers.seconds),
        ("others at collectives", found.collective_waits.seconds),
    )
    told = ", ".join(f"{units.seconds(seconds)} for {what}" for what, seconds in waits)
    text.append(f"waiting, sum over ranks: {told}")
    return [*text, *_path_lines(found.critical_path), *(f"mind: {warning}" for warning in found.warnings)]


def _shares(found: TraceSummary) -> list[str]:
    times = {kind: seconds for kind, seconds in found.time_by_kind.items() if kind != OUTSIDE}
    total = sum(times.values()) or 1.0
    return [
        f"{WORDS.get(kind, kind)} {units.percent(seconds / total)}"
        for kind, seconds in sorted(times.items(), key=lambda item: -item[1])
        if seconds / total >= 0.005
    ]


def _path_lines(path: CriticalPath) -> list[str]:
    """What the longest chain of dependences of the run is made of: computing and calls by name; phases where the program tells any."""
    whole = path.seconds
    if whole <= 0.0:
        return []
    calls = {"computing": path.kinds["compute"], **path.calls}
    parts = {"by phase": path.phases, "by call": calls}
    lines = []
    for how, seconds_of in parts.items():
        rest = whole - sum(seconds_of.values())
        shares = {**seconds_of, "the rest": rest} if rest > 0.005 * whole else seconds_of
        longest = sorted(shares.items(), key=lambda item: -item[1])[:SHOWN_PHASES]
        told = [f"{name} {units.percent(spent / whole)}" for name, spent in longest if spent > 0.0005 * whole]
        if seconds_of:
            lines.append(f"critical path {how}: {', '.join(told)}")
    return lines


def keep(found: TraceSummary, folder: TraceFolder) -> Path:
    """Writes ``summary.json`` and the page with its timeline into the trace's folder; the page's path."""
    from hakaru.tell.traces.timeline.section import of_archive
    from hakaru.tell.traces.trace_page import of_trace, write_page

    folder.keep(found)
    name = folder.path.name
    write_page(folder.page, found, of_trace(name, f"{name}/archive", of_archive(folder.trace)))
    return folder.page
