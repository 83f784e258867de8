"""Watches a program for what only time shows: memory and descriptors that grow, files that stay."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

MOST_GROWTH_B = 32 << 20  # a record keeps a kilobyte a repetition
PAGE_B = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Watched:
    """How a program ended, and its resident memory (B) and open descriptors at equal intervals."""

    exit_code: int = 0
    output: str = ""
    wall_s: float = 0.0
    resident_b: list[int] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)

    @property
    def growth_b(self) -> int:
        """Of resident memory from a quarter of the run, when everything has been set up, to the end."""
        return grown(self.resident_b)

    @property
    def more_descriptors(self) -> int:
        return grown(self.descriptors)


def grown(samples: Sequence[int]) -> int:
    """The largest of the last quarter less the largest of the second."""
    quarter = len(samples) // 4
    return max(samples[-quarter:]) - max(samples[quarter : 2 * quarter]) if quarter else 0


def watch(command: Sequence[str], folder: Path, interval_s: float = 1.0, limit_s: float = 7200.0) -> Watched:
    """Runs ``command`` in ``folder``, which is also its folder for temporary files."""
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        "TMPDIR": str(folder),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    watched, begin = Watched(), time.monotonic()
    output = folder / "output.txt"
    with output.open("w") as stream:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=stream, stderr=stream, stdin=subprocess.DEVNULL
        )
        try:
            while process.poll() is None:
                look(process.pid, watched)
                assert time.monotonic() - begin < limit_s, "it does not end"
                time.sleep(interval_s)
        finally:
            process.kill()
            process.wait()
    watched.exit_code, watched.wall_s = process.returncode, time.monotonic() - begin
    watched.output = output.read_text()
    output.unlink()
    return watched


def look(pid: int, watched: Watched) -> None:
    """Adds one sample of a process; none once it has ended."""
    folder = Path(f"/proc/{pid}")
    try:
        resident = int((folder / "statm").read_text().split()[1]) * PAGE_B
        descriptors = len(list((folder / "fd").iterdir()))
    except (OSError, IndexError):
        return
    if resident:
        watched.resident_b.append(resident)
        watched.descriptors.append(descriptors)
