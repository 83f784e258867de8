"""What sampling adds to the time of a program that computes, against 2 %, and what watching adds to a call on a file.

The time of a program that computes is that of its processor: it holds the signals, the samples and the timers, and not what other
processes take meanwhile, which is what made intervals of the elapsed time wide."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from hakaru.base.statistics import Interval, median_interval
from hakaru.own.bench import interleave, row
from hakaru.own.bench.interleaving import Interleaved
from hakaru.run.tracing.build import watcher
from hakaru.run.tracing.inject import Watching

ROUNDS = {"compute": 17, "walk": 17, "pwrite": 21, "fwrite": 21}
SHORT_ROUNDS = 41
BOUND = 1.02
COMPUTING = {
    "compute": 50000,
    "walk": 50000,
}  # a good second and a half each: what begins once is a small part
SHORT = 3000  # a tenth of a second of walk: what begins once is most of it
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


def sides(program: Path, what: str, count: int, library: dict[str, str]) -> dict[str, Callable[[], float]]:
    return {
        "watched": measured(program, what, count, library),
        "plain": measured(program, what, count, {}),
    }


def added_s(found: Interleaved, count: int) -> Interval:
    """To each of ``count`` calls, from pairs of a turn."""
    pairs = zip(found.samples["watched"], found.samples["plain"], strict=True)
    return median_interval([(ours - theirs) / count for ours, theirs in pairs])


def run() -> list[dict]:
    library = {"LD_PRELOAD": str(watcher()), "HAKARU_TRACE_FOLDER": "{folder}/raw"} | Watching().variables()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "watcher_calls"
        source = Path(__file__).with_name("watcher_calls.c")
        subprocess.run([shutil.which("cc"), "-O2", str(source), "-o", str(program)], check=True)
        for what, count in (COMPUTING | CALLS).items():
            found = interleave(sides(program, what, count, library), ROUNDS[what])
            if what in COMPUTING:
                ratio = found.ratio("watched", "plain")
                rows.append(
                    row("watcher", f"processor time of {what}, 100 samples/s, to without", ratio, "1", BOUND)
                )
                continue
            added = added_s(found, count)
            plain = found.interval("plain").value / count
            rows.append(row("watcher", f"added to a call: {what}, peer: the call", added, "s", None, plain))
        found = interleave(sides(program, "walk", SHORT, library), SHORT_ROUNDS)
        rows.append(row("watcher", "added to a process of 0.1 s, processor time", added_s(found, 1), "s"))
    return rows
