"""PUT against MPI's own one-sided operations and messages, in turns within one run of the probe putget."""

import json
import tempfile
from collections import defaultdict
from pathlib import Path

from hakaru.base.files import load_module
from hakaru.base.paths import build_folder
from hakaru.own.bench import Interleaved, row

pingpong = load_module(Path(__file__).with_name("pingpong.py"))

TARGETS = ("putget",)
LONG, SHORT = 1 << 20, 8
LAUNCHES = 5  # physical pages and idle processors differ between them
SAMPLES = 11
# What, kind, peer, bytes, bound of the ratio of times.
COMPARISONS = (
    ("contiguous put of 1 MiB over MPI_Put", "put", "mpi_put", LONG, 1.05),
    ("strided put of 1 MiB in items of 8 B over MPI_Put of a vector", "put_stride", "mpi_put_vector", LONG, 1.0),
    ("strided put of 4 KiB in items of 8 B over MPI_Put of a vector", "put_stride", "mpi_put_vector", 4096, 1.0),
    ("put of a 3-D volume of 1 MiB in items of 8 B, plane by plane, over one MPI_Put", "put_volume", "mpi_put_volume", LONG, 1.0),
    ("put of a 3-D volume of 4 KiB in items of 8 B, plane by plane, over one MPI_Put", "put_volume", "mpi_put_volume", 4096, 1.0),
    ("put of 8 B with a flag over half a ping-pong", "flagged_put", "send_receive", SHORT, 1.3),
    ("send and receive through the ring, 8 B, over MPI's", "ring", "send_receive", SHORT, None),
    ("send and receive through the ring, 1 MiB, over MPI's", "ring", "send_receive", LONG, None),
)  # fmt: skip


def samples_of(record: dict) -> dict[tuple[str, int, int], float]:
    """(kind, bytes, repetition) -> seconds."""
    (table,) = (t for t in record["tables"] if t["name"] == "transfers")
    return {(kind, size, repetition): seconds for kind, size, repetition, seconds in table["rows"]}


def launch(folder: Path) -> dict[tuple[str, int, int], float]:
    record = folder / "record.json"
    words = [f"samples={SAMPLES}", f"maximum_bytes={LONG}", "--repetitions", "1", "--warmup", "0"]
    pingpong.launch(build_folder() / "bin" / "putget", "run", *words, "--record", str(record))
    return samples_of(json.loads(record.read_text()))


def compare(launches: list[dict]) -> dict[str, Interleaved]:
    """One interleaved comparison each; a round is a repetition of a launch."""
    results: dict = defaultdict(lambda: Interleaved({"ours": [], "peer": []}))
    for samples in launches:
        for repetition in range(SAMPLES):
            for what, kind, peer, size, _ in COMPARISONS:
                results[what].samples["ours"].append(samples[kind, size, repetition])
                results[what].samples["peer"].append(samples[peer, size, repetition])
    return results


def run() -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        results = compare([launch(Path(folder)) for _ in range(LAUNCHES)])
    rows = []
    for what, _, _, _, bound in COMPARISONS:
        result = results[what]
        rows.append(row("putget", what, result.ratio("ours", "peer"), "1", bound, 1.0))
        seconds = result.interval("ours")
        ours = what.split(" over ")[0]
        rows.append(row("putget", f"time of {ours}", seconds, "s", None, result.interval("peer").value))
    return rows
