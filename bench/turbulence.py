"""Time of a turbulence step over the time of its 72 real 3-D transforms alone, by turns in one process.

The program itself takes the turns: after every step it runs the 72 transforms twice, once with the step's own
plans and buffers (all lines, nothing truncated) and once with FFTW's own 3-D real plans. One core.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.base.paths import build_folder
from hakaru.own.bench import Interleaved, row

TARGETS = ("turbulence",)
SIZES = (64, 128)
STEPS = {64: 6, 128: 2}
ROUNDS = 9
BOUND = 1.35
TIMES = {"step": "step_s", "own": "transforms_s", "fftw": "fftw_s"}


def measure(size: int) -> Interleaved:
    """Seconds of a step and of both kinds of transforms alone, one sample a repetition."""
    program = build_folder() / "bin" / "turbulence"
    if not program.is_file():
        raise UserError(f"{program} was not found", "the bench runs it", "build hakaru first", ENVIRONMENT)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"
        words = [f"n={size}", f"steps={STEPS[size]}", "plan=measure", "baseline=both"]
        command = [program, "run", *words, "--threads", "1", "--repetitions", str(ROUNDS), "--record", record]
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, timeout=300, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"turbulence ended with {done.returncode}: {done.stderr.strip()[-300:]}")
        metrics = {metric["name"]: metric["samples"] for metric in json.loads(record.read_text())["metrics"]}
    return Interleaved({name: metrics[metric] for name, metric in TIMES.items()})


def run() -> list[dict]:
    rows = []
    for size in SIZES:
        result = measure(size)
        for peer, label in (("own", "by the step's own plans"), ("fftw", "by FFTW's 3-D plans")):
            figure = f"n = {size}: step over its 72 transforms {label}"
            rows.append(row("turbulence", figure, result.ratio("step", peer), "1", BOUND, 1.0))
        step, own_s = result.interval("step"), result.interval("own").value
        rows.append(row("turbulence", f"n = {size}: time of a step", step, "s", BOUND * own_s, own_s))
    return rows
