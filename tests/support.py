"""Starting programs in tests."""

import os
import subprocess

from hakaru.base.paths import mpi_flavour
from hakaru.facts import native
from hakaru.run.launchers.here import launch_here
from hakaru.run.launchers.known import DIRECT

# Refuse to end in a hang: the longest verification takes seconds.
LIMIT_S = 120


def start(
    program: native.Program,
    words: list[str],
    ranks: int = 1,
    threads: int = 1,
    limit_s: float = LIMIT_S,
    **more,
) -> subprocess.CompletedProcess:
    """Runs a program on ranks x threads through the launcher that hakaru itself uses."""
    needs_mpi = native.describe(program.name).needs_mpi
    launch = launch_here(mpi_flavour() if needs_mpi else DIRECT, ranks, threads)
    return subprocess.run(
        launch.command([str(program.path), *words, "--threads", str(threads)]),
        capture_output=True,
        text=True,
        timeout=limit_s,
        env=os.environ | launch.variables(),
        **more,
    )


def all_programs() -> list[native.Program]:
    """Every built program, the templates among them."""
    return native.programs(templates=True)
