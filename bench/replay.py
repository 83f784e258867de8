"""Speed of the replay engine on generated schedules; one thread. Peers' figures were measured once, see README."""

import json
import subprocess
import tempfile
from pathlib import Path

from hakaru.base.paths import build_folder
from hakaru.own.bench import interleave, row

TARGETS = ("hakaru_replay",)
NETWORK = {
    "model": "loggp",
    "levels": {
        "switch": {
            "latency_s": 1e-6,
            "send_overhead": 2e-7,
            "receive_overhead": 3e-7,
            "gap": 1e-7,
            "gap_per_byte": 1e-9,
            "eager_limit_bytes": 4096,
        }
    },
}
TORUS = NETWORK | {
    "model": "torus",
    "topology": {"dimensions": [16, 16, 16], "link": {"gap_per_byte_s": 1e-9}, "hop_latency_s": 1e-7},
}
ALGORITHMS = {
    "allreduce": {"algorithm": "recursive_doubling"},
    "alltoall": {"algorithm": "pairwise"},
    "barrier": {"algorithm": "dissemination"},
}
HALO = "halo2d:ranks=4096,steps=200,bytes=1000"
# name: (what is generated, network, figure, unit, bound, best peer)
CASES = {
    "allreduce": ("allreduce:ranks=1048576,bytes=8", NETWORK, "allreduce of 1,048,576 ranks", "s", 3.0, 55.8),
    "memory": ("allreduce:ranks=1048576,bytes=8", NETWORK, "memory of that allreduce", "B", 700e6, 2.65e9),
    "halo": (HALO, NETWORK, "halo, 4,096 ranks x 200 steps", "1/s", 12e6, 0.613e6),
    "alltoall": (
        "alltoall:ranks=1024,bytes=8",
        NETWORK,
        "pairwise alltoall of 1,024 ranks",
        "1/s",
        10e6,
        1.26e6,
    ),
    "barriers": (
        "barriers:ranks=1024,times=1000",
        NETWORK,
        "1,000 barriers of 1,024 ranks",
        "1/s",
        20e6,
        1.31e6,
    ),
    "gather": (
        "gather_reverse:ranks=32768",
        NETWORK,
        "gather of 32,768 ranks, posted in reverse",
        "s",
        0.1,
        None,
    ),
    "ordered": (
        "halo2d:ranks=4096,steps=50,bytes=1000",
        TORUS,
        "halo on a torus, time-ordered",
        "1/s",
        1e6,
        None,
    ),
}
ROUNDS = 5


def replay(name: str, folder: Path) -> float:
    """The figure of one case: seconds, bytes, or messages a second."""
    generated, network, _, unit, _, _ = CASES[name]
    network_file = folder / f"{name}.json"
    network_file.write_text(json.dumps(network | {"collectives": ALGORITHMS}))
    command = [build_folder() / "bin" / "hakaru_replay", "--generate", generated]
    done = subprocess.run(
        [*map(str, command), "--network", str(network_file), "--json"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    result = json.loads(done.stdout)
    spent = result["spent"]
    return {"s": spent["replay_s"], "B": spent["peak_bytes"], "1/s": result["messages"] / spent["replay_s"]}[
        unit
    ]


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        result = interleave(
            {name: (lambda name=name: replay(name, Path(folder))) for name in CASES}, ROUNDS
        )  # fmt: skip
    return [
        row("replay", figure, result.interval(name), unit, bound, peer)
        for name, (_, _, figure, unit, bound, peer) in CASES.items()
    ]
