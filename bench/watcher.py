"""What sampling adds to the time of a program that computes, against 2 %, and what watching adds to a call on a file.

The time of a program that computes is that of its processor: it holds the signals, the samples and the timers, and not what other
processes take meanwhile, which is what made intervals of the elapsed time wide."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from hakaru.base.statistics import median_interval
from hakaru.own.bench import interleave, row
from hakaru.run.tracing.build import watcher
from hakaru.run.tracing.inject import Watching

ROUNDS = {"compute": 61, "walk": 61, "pwrite": 21, "fwrite": 21}
BOUND = 1.02
COMPUTING = {"compute": 12000, "walk": 12000}  # a good third of a second each
CALLS = {"pwrite": 50000, "fwrite": 500000}


def measured(program: Path, what: str, count: int, variables: dict[str, str]) -> Callable[[], float]:
    """Seconds that the program says its loop took, in a folder of its own; of the processor where it computes."""

    def once() -> float:
        with tempfile.TemporaryDirectory() as folder:
            given = {name: value.format(folder=folder) for name, value in variables.items()}
            line = [str(program), what, str(count)]
            done = subprocess.run(
                line, cwd=folder, env=os.environ | given, capture_output=True, text=True, check=True
            )
            if given and not (Path(folder) / "raw").is_dir():
                raise RuntimeError("nothing was watched")
            elapsed, busy = done.stdout.split()
            return float(busy if what in COMPUTING else elapsed)

    return once


def run() -> list[dict]:
    library = {"LD_PRELOAD": str(watcher()), "HAKARU_TRACE_FOLDER": "{folder}/raw"} | Watching().variables()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "watcher_calls"
        source = Path(__file__).with_name("watcher_calls.c")
        subprocess.run([shutil.which("cc"), "-O2", str(source), "-o", str(program)], check=True)
        for what, count in (COMPUTING | CALLS).items():
            found = interleave(
                {
                    "watched": measured(program, what, count, library),
                    "plain": measured(program, what, count, {}),
                },
                ROUNDS[what],
            )
            if what in COMPUTING:
                ratio = found.ratio("watched", "plain")
                rows.append(
                    row("watcher", f"processor time of {what}, 100 samples/s, to without", ratio, "1", BOUND)
                )
                continue
            pairs = zip(found.samples["watched"], found.samples["plain"], strict=True)
            added = median_interval([(ours - theirs) / count for ours, theirs in pairs])
            plain = found.interval("plain").value / count
            rows.append(row("watcher", f"added to a call: {what}, peer: the call", added, "s", None, plain))
    return rows
