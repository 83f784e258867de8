"""MPICH's Hydra: every rank gets as many cores as it has threads; nothing is bound when cores do not suffice."""

import shutil
from pathlib import Path

from hakaru.run.launchers import Launch, thread_environment

name = "mpich"


def launch(program: Path, ranks: int, threads: int, oversubscribed: bool) -> Launch:
    environment = thread_environment(threads, oversubscribed)
    command = [shutil.which("mpirun.mpich") or "mpirun", "-n", str(ranks)]
    if oversubscribed:
        command += ["-bind-to", "none"]
    else:
        command += ["-bind-to", f"core:{threads}"]
    return Launch([*command, str(program)], environment)
