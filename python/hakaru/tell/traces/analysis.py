"""What a trace says at once: time by kind, waiting, POP efficiencies, critical path, who talks to whom; kept beside the archive."""

import json
import subprocess
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
    "other": "other calls (starting and ending MPI among them)",
}


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


def analyse(archive: Path) -> dict[str, Any]:
    """The trace summary with ``ideal`` (its replay when messages cost nothing) added; ``ideal`` is None for an incomplete trace.

    Raises UserError when the tools are not built or refuse the archive.
    """
    found = _output([str(native.tool("hakaru_trace_summary")), str(archive), "--json"])
    found["ideal"] = _ideal(archive) if found["complete"] else None
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
        return engine(None).replay(archive, IDEAL, {"critical_path": True})
    except UserError:
        return None


def lines(found: dict[str, Any]) -> list[str]:
    """The analysis in a few lines for a terminal."""
    times: dict[str, float] = {}
    for rank in found["ranks"]:
        for kind, seconds in rank["time_by_kind"].items():
            times[kind] = times.get(kind, 0.0) + seconds
    total = sum(times.values()) or 1.0
    shares = [
        f"{WORDS.get(kind, kind)} {units.percent(seconds / total)}"
        for kind, seconds in sorted(times.items(), key=lambda item: -item[1])
        if seconds / total >= 0.005
    ]
    text = [f"time of all ranks: {', '.join(shares)}"]
    efficiencies = found["efficiencies"]
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
    if found["ideal"]:
        path = found["ideal"]["critical_path"]["phases"]
        whole = sum(path.values()) or 1.0
        longest = sorted(path.items(), key=lambda item: -item[1])[:SHOWN_PHASES]
        text.append(
            "critical path: "
            + ", ".join(f"{name} {units.percent(seconds / whole)}" for name, seconds in longest)
        )
    text += [f"mind: {warning}" for warning in found["warnings"]]
    return text


def keep(found: dict[str, Any], folder: Path) -> Path:
    """Writes ``summary.json`` and ``trace.html`` into the trace's folder; the page's path."""
    from hakaru.tell.traces.page import write_page

    write_json_atomically(folder / "summary.json", found)
    write_page(folder / "trace.html", found, folder.name)
    return folder / "trace.html"
