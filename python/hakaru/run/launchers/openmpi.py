"""Open MPI's mpirun: every rank gets as many cores as it has threads; nothing is bound when cores do not suffice."""

import os
import shutil
from pathlib import Path

from hakaru.run.launchers import Launch, thread_environment

name = "openmpi"


def launch(program: Path, ranks: int, threads: int, oversubscribed: bool) -> Launch:
    environment = thread_environment(threads, oversubscribed)
    if os.geteuid() == 0:
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = [shutil.which("mpirun.openmpi") or "mpirun", "-n", str(ranks)]
    if oversubscribed:
        environment |= {"OMPI_MCA_mpi_yield_when_idle": "1"}
        command += ["--oversubscribe", "--bind-to", "none"]
    else:
        command += ["--map-by", f"slot:PE={threads}", "--bind-to", "core"]
    return Launch([*command, str(program)], environment)
