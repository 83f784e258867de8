"""Archives whose content is known, for tests of what is made of them: replays of small schedules."""

import json
import subprocess
from pathlib import Path

from hakaru.facts import native
from hakaru.facts.traces.trace import ANCHOR, Trace

LEVEL = {
    "latency_s": 2e-6,
    "send_overhead": 3e-7,
    "receive_overhead": 4e-7,
    "gap": 1e-7,
    "gap_per_byte": 1e-10,
    "eager_limit_bytes": 4096,
}
NETWORK = {"model": "loggp", "levels": {"switch": LEVEL}}
NASTY = '</script><b>"so\'lve" & <i>'


def replayed(folder: Path, *words: str | Path) -> Trace:
    """The archive of ``hakaru_replay WORDS``, in a new folder below ``folder``."""
    network = folder / "network.json"
    network.write_text(json.dumps(NETWORK))
    archive = folder / f"archive-{len(list(folder.iterdir()))}"
    command = [native.tool("hakaru_replay"), *words, "--network", network, "--otf2", archive, "--json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Trace(archive / ANCHOR)


def halo(folder: Path, ranks: int = 16, steps: int = 6, size: int = 8000) -> Trace:
    """A halo exchange in which every rank does the same."""
    return replayed(folder, "--generate", f"halo2d:ranks={ranks},steps={steps},bytes={size},compute_s=0.0001")


def schedule(ranks: int = 4, steps: int = 12) -> dict:
    """Phases with a name that HTML must not see, unequal computing, a ring of messages, a reduction."""

    def size(rank: int) -> int:
        return 500 * 2 ** (rank % ranks % 5)

    def phase(name: str, *operations: dict) -> list[dict]:
        return [{"do": "begin", "phase": name}, *operations, {"do": "end", "phase": name}]

    def step(rank: int) -> list[dict]:
        halo = (
            {"do": "ireceive", "peer": (rank - 1) % ranks, "tag": 7, "bytes": size(rank - 1), "request": 0},
            {"do": "send", "peer": (rank + 1) % ranks, "tag": 7, "bytes": size(rank)},
            {"do": "wait", "request": 0},
        )
        work = {"do": "compute", "seconds": 1e-4 * (1 + rank)}
        return [*phase(NASTY, work), *phase("halo", *halo), {"do": "allreduce", "bytes": 8}]

    return {
        "schema": "hakaru/schedule/1",
        "program": NASTY,
        "description": "",
        "ranks": ranks,
        "phases": [{"name": NASTY, "kind": "compute"}, {"name": "halo", "kind": "communicate"}],
        "communicators": [{"name": "world"}],
        "works": [],
        "lists": [],
        "streams": [
            {
                "ranks": [[rank, rank, 1]],
                "operations": [{"do": "repeat", "times": steps, "operations": step(rank)}],
            }
            for rank in range(ranks)
        ],
    }


def ring(folder: Path, ranks: int = 4, steps: int = 12) -> Trace:
    """The archive of a replay of ``schedule``."""
    path = folder / f"schedule-{ranks}-{steps}.json"
    path.write_text(json.dumps(schedule(ranks, steps)))
    return replayed(folder, path)
