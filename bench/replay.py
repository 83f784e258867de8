"""Speed of the replay engine on generated schedules; one thread. Peers' figures were measured once, see README."""

import json
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

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
FAT_TREE = NETWORK | {
    "model": "fat_tree",
    "topology": {
        "down": [16, 16, 16],
        "up": [16, 16],
        "link": {"gap_per_byte_s": 1e-9},
        "hop_latency_s": 1e-7,
    },
}
FAIR = ("--set", "sharing=max_min")
ALGORITHMS = {
    "allreduce": {"algorithm": "recursive_doubling"},
    "alltoall": {"algorithm": "pairwise"},
    "barrier": {"algorithm": "dissemination"},
}
HALO = "halo2d:ranks=4096,steps=200,bytes=1000"
SHORT_HALO = "halo2d:ranks=4096,steps=50,bytes=1000"
CROSSING = "alltoall:ranks=256,bytes=1000"


class Case(NamedTuple):
    generated: str
    network: dict
    figure: str
    unit: str
    bound: float | None = None
    peer: float | None = None  # the best of the peers
    options: tuple[str, ...] = ()


ALLREDUCE = "allreduce:ranks=1048576,bytes=8"
SHARED_PER_S = 4e6  # bound where links are shared
CASES = {
    "allreduce": Case(ALLREDUCE, NETWORK, "allreduce of 1,048,576 ranks", "s", 2.0, 55.8),
    "memory": Case(ALLREDUCE, NETWORK, "memory of that allreduce", "B", 700e6, 2.65e9),
    "halo": Case(HALO, NETWORK, "halo, 4,096 ranks x 200 steps", "1/s", 25e6, 0.613e6),
    "alltoall": Case(
        "alltoall:ranks=1024,bytes=8", NETWORK, "pairwise alltoall of 1,024 ranks", "1/s", 25e6, 1.26e6
    ),
    "barriers": Case(
        "barriers:ranks=1024,times=1000", NETWORK, "1,000 barriers of 1,024 ranks", "1/s", 35e6, 1.31e6
    ),
    "gather": Case(
        "gather_reverse:ranks=32768", NETWORK, "gather of 32,768 ranks, posted in reverse", "s", 0.1
    ),
    "torus": Case(SHORT_HALO, TORUS, "halo on a torus, first come", "1/s", SHARED_PER_S),
    "fat tree": Case(SHORT_HALO, FAT_TREE, "halo on a fat tree, first come", "1/s", SHARED_PER_S),
    "crossing": Case(CROSSING, TORUS, "alltoall of 256 ranks on a torus, first come", "1/s", SHARED_PER_S),
    "fair torus": Case(SHORT_HALO, TORUS, "halo on a torus, max-min", "1/s", options=FAIR),
    "fair fat tree": Case(SHORT_HALO, FAT_TREE, "halo on a fat tree, max-min", "1/s", options=FAIR),
    "fair crossing": Case(CROSSING, TORUS, "alltoall of 256 ranks on a torus, max-min", "1/s", options=FAIR),
}
SLOWER = {"fair torus": "torus", "fair fat tree": "fat tree", "fair crossing": "crossing"}
SLOWER_BOUND = 20.0
ROUNDS = 5


def replay(name: str, folder: Path) -> float:
    """The figure of one case: seconds, bytes, or messages a second."""
    case = CASES[name]
    network_file = folder / f"{name}.json"
    network_file.write_text(json.dumps(case.network | {"collectives": ALGORITHMS}))
    command = [build_folder() / "bin" / "hakaru_replay", "--generate", case.generated]
    done = subprocess.run(
        [*map(str, command), "--network", str(network_file), "--json", *case.options],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    result = json.loads(done.stdout)
    spent = result["spent"]
    figures = {
        "s": spent["replay_s"],
        "B": spent["peak_bytes"],
        "1/s": result["messages"] / spent["replay_s"],
    }
    return figures[case.unit]


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        result = interleave(
            {name: (lambda name=name: replay(name, Path(folder))) for name in CASES}, ROUNDS
        )  # fmt: skip
    rows = [
        row("replay", case.figure, result.interval(name), case.unit, case.bound, case.peer)
        for name, case in CASES.items()
    ]
    return rows + [
        row("replay", f"{CASES[fair].figure}: times as long", result.ratio(plain, fair), "1", SLOWER_BOUND)
        for fair, plain in SLOWER.items()
    ]
