"""Ways of writing by the facts of the probe ``storage``, against files of other amounts that each way really wrote, in turns.

The facts are distilled from one launch; the second launch writes 64 calls of 32 KiB and 2 calls of 4 MiB of each rank, which no fact was
fitted to. The way that the facts put first is held against the best measured one.
"""

import json
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from hakaru.base.files import load_module
from hakaru.base.paths import build_folder, root
from hakaru.base.statistics import median_interval
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record
from hakaru.foretell.advise import ways
from hakaru.own.bench import row

TARGETS = ("storage",)
RANKS, FILES = 2, 21
OTHER = {"small_calls": 64, "small_bytes": 32768, "large_calls": 2, "large_bytes": 4 << 20}


def launched(folder: Path, **parameters: int) -> Record:
    record = folder / f"r{len(parameters)}.json"
    words = [f"{name}={value}" for name, value in parameters.items()]
    line = [
        "mpirun",
        "-n",
        str(RANKS),
        str(build_folder() / "bin" / "storage"),
        "run",
        f"files={FILES}",
        *words,
    ]
    line += ["--repetitions", "1", "--record", str(record)]
    subprocess.run(line, check=True, capture_output=True, cwd=folder)
    return Record.read(record)


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as place:
        first, other = launched(Path(place)), launched(Path(place), **OTHER)
    facts = load_module(root() / "probes" / "storage" / "distil.py").distil([first])
    head = {"schema": "hakaru/machine/1", "name": "here", "kind": "measured", "date": "2026"}
    costs = ways.costs(Machine.of(json.loads(json.dumps(head | facts))), RANKS)
    times: dict[tuple, list[float]] = defaultdict(list)
    for one in other.rows("ways"):
        if one["calls"] > 1:
            times[one["way"], one["pattern"], one["calls"], one["bytes"]].append(one["seconds"])
    rows = []
    for calls, size in {key[2:] for key in times}:
        cases = {key[:2]: samples for key, samples in times.items() if key[2:] == (calls, size)}
        real = {way: median_interval(samples) for way, samples in cases.items()}
        said = {way: costs.of[way][0].seconds(calls, RANKS * calls * size, 1) for way in cases}
        for way, value in sorted(real.items(), key=lambda item: item[1].value):
            name = f"{calls} calls of {size} B, {' '.join(way)}, peer: by the facts"
            rows.append(row("storage", name, value, "s", None, said[way]))
        chosen = min(said, key=said.get)
        best = min(one.value for one in real.values())
        ratio = median_interval([sample / best for sample in cases[chosen]])
        rows.append(
            row("storage", f"{calls} calls of {size} B: the way put first over the best", ratio, "1", 1.05)
        )
    return rows
