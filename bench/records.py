"""100,000 records: time of the first answer, which makes the index, and of later ones, as whole commands (their start included)."""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hakaru.base.paths import root
from hakaru.base.statistics import median_interval
from hakaru.facts.history.fixtures import launch
from hakaru.own.bench import interleave, row

DATES, PROGRAMS, PROBLEMS, LAUNCHES = 200, 10, 10, 5
ROUNDS = 5
BOUND_S = 1.0  # of a later answer
LATER = {
    "records": ("records",),
    "history of one program of ten": ("history", "app3"),
    "compare two dates": ("compare", "date={before}", "date={last}"),
    "history of all programs": ("history",),
}
UNBOUNDED = ("history of all programs",)  # it asks for every record


def ours() -> list[str]:
    launcher = root() / "hakaru"
    return [str(launcher)] if launcher.is_file() else [sys.executable, "-P", "-m", "hakaru.start"]


def made_up(dates: int = DATES) -> Iterator[dict[str, Any]]:
    """Records of nights: ten programs of ten problems, five launches each; one program is slower from the middle on."""
    generator = random.Random(1)
    for date in range(dates):
        for program in range(PROGRAMS):
            form = launch(1.0, day=date, program=f"app{program}", commit=f"{date // 10:040x}").as_dict()
            for number in range(PROBLEMS * LAUNCHES):
                slower = 1.1 if program == 3 and date >= dates // 2 else 1.0
                time_s = slower * (1 + number // LAUNCHES) * generator.lognormvariate(0.0, 0.02)
                repetitions = [
                    one | {"wall_s": time_s * one["wall_s"], "rank_s": [time_s * 0.99] * 2}
                    for one in form["repetitions"]
                ]
                identity = form["id"][:-6] + f"{number:06d}"
                yield form | {
                    "id": identity,
                    "parameters": {"n": number // LAUNCHES},
                    "repetitions": repetitions,
                }


def store(folder: Path) -> tuple[str, str]:
    """The two last dates."""
    (folder / "records").mkdir(parents=True)
    dates = set()
    for one in made_up():
        dates.add(one["started"][:10])
        (folder / "records" / f"{one['id']}.json").write_text(json.dumps(one))
    before, last = sorted(dates)[-2:]
    return before, last


def asking(folder: Path, words: tuple[str, ...], **values: str) -> Callable[[], None]:
    line = [*ours(), *(word.format(**values) for word in words), "--results", str(folder)]

    def ask() -> None:
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):  # 1: something got slower
            raise RuntimeError(f"{' '.join(line)}: {done.stderr}")

    return ask


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        before, last = store(folder)
        begin = time.perf_counter()
        asking(folder, ("records",))()
        first = time.perf_counter() - begin
        found = interleave(
            {name: asking(folder, words, before=before, last=last) for name, words in LATER.items()}, ROUNDS
        )
    rows = [row("records", "first answer, which reads 100,000 records", median_interval([first]), "s")]
    return rows + [
        row("records", name, found.interval(name), "s", None if name in UNBOUNDED else BOUND_S)
        for name in LATER
    ]
