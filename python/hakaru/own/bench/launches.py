"""What benches of programs share: where they run, and what their records say."""

import json
import os
from pathlib import Path


def on_one_core() -> list[str]:
    """In front of a command: it and what it starts stay on the first core that may be used."""
    return ["taskset", "-c", str(min(os.sched_getaffinity(0)))]


def samples(record: Path, metric: str) -> list[float]:
    """Of a metric of our program's record, one a repetition."""
    metrics = json.loads(record.read_text())["metrics"]
    return next(one["samples"] for one in metrics if one["name"] == metric)
