"""Starting programs in tests."""

import json
import os
import subprocess
from dataclasses import dataclass

import pytest

from hakaru.base.paths import mpi_flavour
from hakaru.facts import programs
from hakaru.facts.programs.leaf import Leaf
from hakaru.run.launchers.here import launch_here
from hakaru.run.launchers.known import DIRECT

# Refuse to end in a hang: the longest verification takes seconds.
LIMIT_S = 120
# Open MPI's mpirun sleeps two seconds when a rank fails, to let others end before it kills them: one rank has no others.
ALONE = {"OMPI_MCA_odls_base_sigkill_timeout": "0"}


def start(
    program: Leaf,
    words: list[str],
    ranks: int = 1,
    threads: int = 1,
    limit_s: float = LIMIT_S,
    **more,
) -> subprocess.CompletedProcess:
    """Runs a program on ranks x threads through the launcher that hakaru itself uses."""
    launch = launch_here(mpi_flavour() if program.needs_mpi else DIRECT, ranks, threads)
    return subprocess.run(
        launch.command([str(program.path), *words, "--threads", str(threads)]),
        capture_output=True,
        text=True,
        timeout=limit_s,
        env=os.environ | launch.variables() | (ALONE if ranks == 1 else {}),
        **more,
    )


@dataclass(frozen=True)
class Verified:
    """How a verification ended, what it printed, and its record's text (empty: it wrote none)."""

    exit_code: int
    output: str
    record: str


def verified(program: Leaf, ranks: int, threads: int, factory: pytest.TempPathFactory) -> Verified:
    """``verify --preset small`` in this layout: made once in a session, by whichever worker of pytest-xdist asks first."""
    base = factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "verified"
    place.mkdir(exist_ok=True)
    kept = place / f"{program.name}-{ranks}x{threads}.json"
    if not kept.is_file():
        record = place / f"{kept.stem}-{os.getpid()}.record"
        done = start(program, ["verify", "--preset", "small", "--record", str(record)], ranks, threads)
        text = record.read_text() if record.is_file() else ""
        record.unlink(missing_ok=True)
        made = place / f"{kept.stem}-{os.getpid()}.made"
        made.write_text(json.dumps([done.returncode, done.stdout + done.stderr, text]))
        made.rename(kept)
    return Verified(*json.loads(kept.read_text()))


def all_programs() -> list[Leaf]:
    """Every built program, the templates among them."""
    return programs.known(templates=True)
