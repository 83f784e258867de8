"""One rank without MPI."""

from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.run.launchers import Launch, thread_environment

name = "direct"


def launch(program: Path, ranks: int, threads: int, oversubscribed: bool) -> Launch:
    if ranks != 1:
        raise UserError(f"{program.name} cannot use {ranks} ranks", "it is built without MPI", "use 1 rank")
    return Launch([str(program)], thread_environment(threads, oversubscribed))
