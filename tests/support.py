"""Starting programs in tests."""

import os
import subprocess

from hakaru.base.paths import mpi_flavour
from hakaru.facts import native
from hakaru.run.launchers import launch

# Refuse to end in a hang: the longest verification takes seconds.
LIMIT_S = 120


def start(
    program: native.Program, words: list[str], ranks: int = 1, threads: int = 1, **more
) -> subprocess.CompletedProcess:
    """Runs a program on ranks x threads through the launcher that hakaru itself uses."""
    launcher = launch(mpi_flavour(), program.path, native.describe(program.name).needs_mpi, ranks, threads)
    return subprocess.run(
        [*launcher.command, *words, "--threads", str(threads)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env=os.environ | launcher.environment,
        **more,
    )


def all_programs() -> list[native.Program]:
    """Every built program, the templates among them."""
    return native.programs(templates=True)
