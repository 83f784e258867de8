"""Reading one of our own traces into a schedule, against OTF2's own loop over the same events: the ceiling."""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from _raw_trace import write

from hakaru.base.statistics import Interval
from hakaru.facts.native import tool
from hakaru.own.bench import interleave, row

TARGETS = ("hakaru_trace_convert", "hakaru_trace_summary")
RANKS, STEPS, ROUNDS = 8, 20_000, 7
GOAL_PER_S = 12e6
BYTES_PER_EVENT = 16.0


def rate(command: list[str]) -> float:
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return said["events"] / said["seconds"]


def exactly(size: dict) -> Interval:
    per_event = size["archive_bytes"] / size["events"]
    return Interval(per_event, per_event, per_event, 1, 1.0)


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "raw", RANKS, STEPS)
        converted = subprocess.run(
            [str(tool("hakaru_trace_convert")), str(folder / "raw"), str(folder / "archive"), "--json"],
            check=True,
            capture_output=True,
            text=True,
        )
        shutil.rmtree(folder / "raw")
        size = json.loads(converted.stdout)
        reference = folder / "reference"
        source = Path(__file__).parent / "trace_reading_reference.c"
        subprocess.run(["gcc", "-O2", str(source), "-o", str(reference), "-lopen-trace-format2"], check=True)
        anchor = str(folder / "archive" / "traces.otf2")
        ours = [str(tool("hakaru_trace_summary")), anchor, "--read"]
        result = interleave(
            {"ours": lambda: rate(ours), "library": lambda: rate([str(reference), anchor])}, ROUNDS
        )
    library = result.interval("library").value
    return [
        row(
            "trace_reading",
            "events read into a schedule",
            result.interval("ours"),
            "1/s",
            GOAL_PER_S,
            library,
        ),
        row(
            "trace_reading", "the same over OTF2's own loop", result.ratio("ours", "library"), "1", None, 1.0
        ),
        row("trace_reading", "archive bytes per event (halo exchange)", exactly(size), "B", BYTES_PER_EVENT),
    ]
