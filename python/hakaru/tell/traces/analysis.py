"""What a trace says at once: time by kind, waiting, POP efficiencies, critical path, who talks to whom; kept beside the archive."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hakaru.base import units
from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.files import write_json_atomically
from hakaru.facts import native
from hakaru.foretell.replay.engine import engine

# Messages that cost nothing: what is left of the time is computing and waiting for each other.
IDEAL = {"model": "loggp", "levels": {"switch": {"latency_s": 0.0}}}
SHOWN_PHASES = 6
WORDS = {
    "point_to_point": "sends and receives",
    "one_sided": "one-sided",
    "wait": "waits",
    "collective": "collectives",
    "other": "other calls",
}
OUTSIDE = "environment"  # MPI_Init and MPI_Finalize: in no share, as in no efficiency


@dataclass(frozen=True)
class Marks:
    """The part of a run between two marks: phases, or calls such as ``MPI_Barrier:2``; None: where MPI begins or ends."""

    begin: str | None = None
    end: str | None = None

    @property
    def any(self) -> bool:
        return bool(self.begin or self.end)

    def words(self) -> list[str]:
        given = (("--from", self.begin), ("--to", self.end))
        return [word for option, mark in given if mark for word in (option, mark)]


def _output(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise UserError(
            "the trace cannot be analysed",
            done.stderr.strip() or "no reason given",
            "see the archive",
            ENVIRONMENT,
        )
    return json.loads(done.stdout)


def analyse(archive: Path, marks: Marks = Marks()) -> dict[str, Any]:  # noqa: B008
    """The trace summary with ``ideal`` (its replay when messages cost nothing) added; ``ideal`` is None for an incomplete trace
    and between marks.

    Raises UserError when the tools are not built or refuse the archive.
    """
    found = _output([str(native.tool("hakaru_trace_summary")), str(archive), "--json", *marks.words()])
    found["ideal"] = _ideal(archive) if found["complete"] and not marks.any else None
    if found["ideal"]:
        # POP: parallel = load balance x serialisation x transfer, all over the time in which ranks compute or communicate.
        efficiencies, ideal_s = found["efficiencies"], found["ideal"]["makespan_s"]
        longest = found["ideal"]["breakdown"]["compute"]["maximum"]
        efficiencies["serialisation"] = min(longest / ideal_s, 1.0) if ideal_s else None
        if efficiencies["serialisation"]:
            efficiencies["transfer"] = min(efficiencies["communication"] / efficiencies["serialisation"], 1.0)
    return found


def _ideal(archive: Path) -> dict[str, Any] | None:
    try:
        return engine(None).replay(archive, IDEAL, {}).as_dict()
    except UserError:
        return None


def lines(found: dict[str, Any]) -> list[str]:
    """The analysis in a few lines for a terminal."""
    times: dict[str, float] = {}
    for rank in found["ranks"]:
        for kind, seconds in rank["time_by_kind"].items():
            if kind == OUTSIDE:
                continue
            times[kind] = times.get(kind, 0.0) + seconds
    total = sum(times.values()) or 1.0
    shares = [
        f"{WORDS.get(kind, kind)} {units.percent(seconds / total)}"
        for kind, seconds in sorted(times.items(), key=lambda item: -item[1])
        if seconds / total >= 0.005
    ]
    efficiencies, marks = found["efficiencies"], found["marks"]
    ends = f"from {marks['from'] or 'MPI_Init'} to {marks['to'] or 'MPI_Finalize'}"
    text = [f"{ends}: {units.seconds(efficiencies['runtime_s'])}, the longest of all ranks"]
    text.append(f"time of all ranks: {', '.join(shares)}")
    named = ("load_balance", "serialisation", "transfer", "communication", "parallel")
    known = [
        f"{name.replace('_', ' ')} {units.percent(efficiencies[name])}"
        for name in named
        if efficiencies.get(name)
    ]
    if known:
        text.append(f"efficiency (POP): {', '.join(known)}")
    waits = (
        ("late senders", found["late_senders"]["seconds"]),
        ("late receivers", found["late_receivers"]["seconds"]),
        ("others at collectives", sum(entry["seconds"] for entry in found["collective_waits"]["by_call"])),
    )
    text.append(
        "waiting, sum over ranks: "
        + ", ".join(f"{units.seconds(seconds)} for {what}" for what, seconds in waits)
    )
    text += _path_lines(found["critical_path"])
    text += [f"mind: {warning}" for warning in found["warnings"]]
    return text


def _path_lines(path: dict[str, Any]) -> list[str]:
    """What the longest chain of dependences of the run is made of: computing and calls by name; phases where the program tells any."""
    whole = sum(path["kinds"].values())
    if whole <= 0.0:
        return []
    calls = {"computing": path["kinds"]["compute"], **path["calls"]}
    parts = {"by phase": path["phases"], "by call": calls}
    lines = []
    for how, seconds_of in parts.items():
        rest = whole - sum(seconds_of.values())
        shares = {**seconds_of, "the rest": rest} if rest > 0.005 * whole else seconds_of
        longest = sorted(shares.items(), key=lambda item: -item[1])[:SHOWN_PHASES]
        told = [f"{name} {units.percent(spent / whole)}" for name, spent in longest if spent > 0.0005 * whole]
        if seconds_of:
            lines.append(f"critical path {how}: {', '.join(told)}")
    return lines


def keep(found: dict[str, Any], folder: Path) -> Path:
    """Writes ``summary.json`` and ``trace.html`` into the trace's folder; the page's path."""
    from hakaru.tell.traces.page import write_page

    write_json_atomically(folder / "summary.json", found)
    write_page(folder / "trace.html", found, folder.name)
    return folder / "trace.html"
