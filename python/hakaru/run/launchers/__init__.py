"""Ways of starting ranks. Each is a file of this folder with ``name``, ``supports(flavour)`` and ``launch(...)``."""

import importlib
import os
import pkgutil
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Launch:
    """A command line without the program's own arguments, and what is added to the environment."""

    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def line(self, arguments: list[str]) -> str:
        """The whole as one would type it."""
        import shlex

        assignments = [f"{name}={shlex.quote(value)}" for name, value in sorted(self.environment.items())]
        return " ".join([*assignments, shlex.join([*self.command, *arguments])])


def usable_cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0))


def thread_environment(threads: int, oversubscribed: bool) -> dict[str, str]:
    """OpenMP settings of one rank: threads stay on the cores that the rank was given; where cores do not suffice they are not bound
    and sleep while they wait, since a spinning waiter would keep the core from the one it waits for."""
    if threads == 1:
        return {"OMP_NUM_THREADS": "1"}
    if oversubscribed:
        return {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    return {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}


def launch(flavour: str, program: Path, needs_mpi: bool, ranks: int, threads: int) -> Launch:
    """How to start ``program``: directly when it needs no MPI, else by the launcher of the MPI library ``flavour``."""
    wanted = flavour if needs_mpi else "direct"
    for entry in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{entry.name}")
        if getattr(module, "name", None) == wanted:
            return module.launch(program, ranks, threads, ranks * threads > usable_cores())
    from hakaru.base.errors import UserError

    raise UserError(
        f"there is no launcher for {wanted}",
        "python/hakaru/run/launchers has none of that name",
        "add a file there",
    )
