"""What non-blocking sends win in a program that has them, and what ``hakaru replay --sends`` says of the trace of the one that has not.

The program's ranks compute long in turns, and send 160 kB to the next rank in each step: its sends wait for a receiver that computes.
Needs the facts of this machine (``hakaru probe messages``) in the results folder.
"""

import json
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from hakaru.base.paths import results_folder, root
from hakaru.base.statistics import median_interval
from hakaru.own.bench import interleave, row
from hakaru.run.tracing.build import sources

TARGETS = ("hakaru_replay", "hakaru_trace_convert", "hakaru_trace_summary", "hakaru_trace_profile")
ROUNDS = 15
WORDS = ("20000", "200", "turns")
SIDES = {"blocking": (), "non-blocking": ("-DNONBLOCKING",)}


def measured(program: Path) -> Callable[[], float]:
    line = ["mpirun", "-n", "2", str(program), *WORDS]

    def once() -> float:
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        return float(re.search(r"time = ([0-9.]+)", done.stdout).group(1))

    return once


def replayed(program: Path, folder: Path) -> dict:
    """The part ``sends`` of the answer, and the time."""
    ours = str(root() / "hakaru")
    trace = [ours, "trace", "--no-profile", "--no-files", "--output", str(folder / "trace"), "--"]
    subprocess.run([*trace, "mpirun", "-n", "2", str(program), *WORDS], check=True, capture_output=True)
    ask = [ours, "replay", str(folder / "trace" / "archive"), "--sends", "nonblocking", "--json"]
    done = subprocess.run(
        [*ask, "--results", str(results_folder())], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    return found["sends"] | {"time_s": found["time_s"]}


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = sources() / "preload" / "tests" / "pipeline.c"
        programs = {name: folder / name for name in SIDES}
        for name, options in SIDES.items():
            subprocess.run(["mpicc", "-O1", *options, str(source), "-o", str(programs[name])], check=True)
        found = interleave({name: measured(path) for name, path in programs.items()}, ROUNDS)
        told = replayed(programs["blocking"], folder)
    real = found.ratio("non-blocking", "blocking")
    said = median_interval([told["time_s"] / told["as_they_are_s"]])
    exchange = median_interval([told["exchange_s"] / told["as_they_are_s"]])
    return [
        row("sends", "time with non-blocking sends to blocking ones, measured", real, "1"),
        row(
            "sends",
            "the same by replay, waits as late as can be, peer: measured",
            said,
            "1",
            None,
            real.value,
        ),
        row("sends", "the same by replay, waits before the next computing", exchange, "1"),
    ]
