"""The probe `operating_system` against LMbench 3, item by item, in turns; LMbench's programs are in the folder that HAKARU_LMBENCH names.

HAKARU_LMBENCH_ITEMS takes some items only, separated by commas. All processes of both are bound to one core.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

from _lmbench import FILE_MIB, LEAST_S, SIZE_MIB, Peer, figure, peers, runner

from hakaru.base.paths import build_folder
from hakaru.own.bench import Interleaved, on_one_core, row

TARGETS = ("operating_system",)
ROUNDS = 5
BOUND = 1.1
HELLO = Path("/tmp/hello")  # what lat_proc executes

Figures = dict[str, float]


def ours(items: list[str], folder: Path) -> Figures:
    """Medians by item; a bandwidth that has the name of a latency is called so."""
    path = folder / "record.json"
    words = [f"folder={folder}", f"file_bytes={FILE_MIB << 20}", f"memory_bytes={SIZE_MIB << 20}"]
    words.append(f"least_seconds={LEAST_S}")
    words.append("items=" + ",".join(items))
    program = str(build_folder() / "bin" / "operating_system")
    words += ["--warmup", "0", "--repetitions", "1", "--record", str(path)]
    line = [*on_one_core(), program, "run", *words]
    subprocess.run(line, check=True, capture_output=True)
    record = json.loads(path.read_text())
    table = next(table for table in record["tables"] if table["name"] == "items")
    samples = defaultdict(list)
    for group, item, _, size_of_one, seconds in table["rows"]:
        both = group == "local-bandwidth" and item in ("Pipe", "AF UNIX", "TCP")
        samples[f"{item} bandwidth" if both else item].append(
            size_of_one / seconds if size_of_one else seconds
        )
    return {item: median(values) for item, values in samples.items()}


def theirs(chosen: dict[str, Peer], said) -> Figures:
    """One run of each line that the items need."""
    found, texts = {}, {}
    for item, peer in chosen.items():
        if peer.words not in texts:
            texts[peer.words] = said(peer)
        value = figure(peer, texts[peer.words])
        if value is not None:
            found[item] = value
    return found


def compared(chosen: dict[str, Peer], binaries: Path, folder: Path, rounds: int) -> dict[str, Interleaved]:
    """Samples of both, a value a round; who goes first alternates."""
    said = runner(binaries, folder)
    wanted = list(dict.fromkeys(item.removesuffix(" bandwidth") for item in chosen))
    samples: dict[str, Interleaved] = {}
    for number in range(rounds):
        results = {}
        for who in ("ours", "lmbench") if number % 2 == 0 else ("lmbench", "ours"):
            if who == "ours":
                results[who] = ours(wanted, folder)
            else:
                results[who] = theirs(chosen, said)
        for item in results["ours"].keys() & results["lmbench"].keys():
            entry = samples.setdefault(item, Interleaved({"ours": [], "lmbench": []}))
            for who, found in results.items():
                entry.samples[who].append(found[item])
    return samples


def alone(chosen: dict[str, Peer], folder: Path) -> dict[str, Interleaved]:
    """Ours without a peer."""
    wanted = list(dict.fromkeys(item.removesuffix(" bandwidth") for item in chosen))
    figures = [ours(wanted, folder) for _ in range(ROUNDS)]
    common = set.intersection(*(set(one) for one in figures))
    return {item: Interleaved({"ours": [one[item] for one in figures]}) for item in chosen if item in common}


def rows_of(item: str, both: Interleaved) -> list[dict]:
    unit = "B/s" if both.samples["ours"][0] > 1e3 else "s"
    if "lmbench" not in both.samples:
        return [row("lmbench", item, both.interval("ours"), unit)]
    ratio = both.ratio("ours", "lmbench")
    return [
        row("lmbench", f"{item}: over LMbench's", ratio, "1", BOUND, 1.0),
        row("lmbench", item, both.interval("ours"), unit, None, both.interval("lmbench").value),
    ]


def run() -> list[dict]:
    """Ratios where HAKARU_LMBENCH names a folder that has LMbench's programs; ours by itself elsewhere."""
    binaries = Path(os.environ.get("HAKARU_LMBENCH", ""))
    only = [name for name in os.environ.get("HAKARU_LMBENCH_ITEMS", "").split(",") if name]
    chosen = {item: peer for item, peer in peers().items() if not only or item in only}
    with tempfile.TemporaryDirectory(prefix="hakaru-bench-") as folder:
        if "HAKARU_LMBENCH" in os.environ and (binaries / "lat_syscall").is_file():
            shutil.copy(binaries / "hello", HELLO)
            results = compared(chosen, binaries, Path(folder), ROUNDS)
        else:
            results = alone(chosen, Path(folder))
    return [line for item in chosen if item in results for line in rows_of(item, results[item])]
