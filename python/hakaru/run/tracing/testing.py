"""What the tests of the tracer share: an MPI library with its tracer, and the items of a raw file."""

import os
import re
import subprocess
from pathlib import Path

from hakaru.facts.traces.layout import FINALIZED
from hakaru.facts.traces.raw import RawFile, raw_files
from hakaru.run.tracing.build import inspect, library, sources

PROGRAMS = sources() / "preload" / "tests"
FEW_CORES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}
DOUBLE, INT = 8, 4
ANY, NO_PEER = -2, -1


class Mpi:
    """One MPI library: its tracer, its compiler and its launcher."""

    def __init__(self, flavour: str, folder: Path):
        self.flavour, self.folder = flavour, folder
        self.compiler = inspect(f"mpicc.{flavour}")
        self.launcher = f"mpirun.{flavour}"
        self.library = library(self.compiler)
        self.version = int(re.search(r"#define MPI_VERSION\s+(\d)", self.compiler.header).group(1))

    def compile(self, source: str, compiler: str | None = None, *options: str) -> Path:
        program = self.folder / "-".join([Path(source).stem, *options]).replace("-D", "")
        if not program.exists():
            command = [
                compiler or self.compiler.path,
                "-O1",
                *options,
                str(PROGRAMS / source),
                "-o",
                str(program),
            ]
            subprocess.run([*command, "-lpthread"], check=True, capture_output=True)
        return program

    def launch(
        self, command: list[str], folder: Path, ranks: int, library: Path | None = None, **environment: str
    ):
        preload = str(library or self.library)
        if self.flavour == "openmpi":
            inject = ["-x", f"LD_PRELOAD={preload}", "-x", f"HAKARU_TRACE_FOLDER={folder}"]
        else:
            inject = ["-genv", "LD_PRELOAD", preload, "-genv", "HAKARU_TRACE_FOLDER", str(folder)]
        return subprocess.run(
            [self.launcher, "-n", str(ranks), *inject, *command],
            env=os.environ | FEW_CORES | environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    def trace(
        self, name: str, folder: Path, ranks: int = 2, *arguments: str, library: Path | None = None
    ) -> list[RawFile]:
        done = self.launch([str(self.compile(f"{name}.c")), *arguments], folder, ranks, library)
        assert done.returncode == 0, done.stderr[-2000:]
        files = raw_files(folder)
        assert [file.header.rank for file in files] == list(range(ranks))
        assert all(file.header.status == FINALIZED for file in files)
        return files


def items(file: RawFile, *kinds: str) -> list[tuple]:
    """(call, item) of these kinds in order."""
    return [(record.call, item) for record in file.records() for item in record.items if item.kind in kinds]


def messages(file: RawFile, *kinds: str) -> list[tuple]:
    """(call, peer, tag, bytes) of these kinds in order."""
    return [(call, item.peer, item.tag, item.bytes) for call, item in items(file, *kinds)]


def collectives(file: RawFile) -> dict[str, list[tuple]]:
    """call -> (root, sent, received, in place) of its occurrences."""
    found: dict[str, list[tuple]] = {}
    for call, item in items(file, "collective"):
        found.setdefault(call, []).append((item.root, item.sent, item.received, item.mode & 1))
    return found
