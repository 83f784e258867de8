"""What can be set from outside, by the environment alone: binding (which the launchers know), what surrounds a program, and algorithms of
collectives.

Open MPI: ``coll_tuned_<collective>_algorithm``. MPICH 4: ``MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM``.
The values come from the engine's table of algorithms.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.facts.algorithms import algorithms
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.launchers.known import launcher, title
from hakaru.run.tune import surroundings

BINDING = "binding"


@dataclass(frozen=True)
class Setting:
    """``group``: what it sets; one of each group can be combined. ``environment`` is to be exported."""

    group: str
    name: str
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        return f"{self.group}: {self.name}" if self.group else self.name


DEFAULT = Setting("", "as it is")


@dataclass
class Choice:
    """``told``: what is not tried, and why."""

    library: str
    settings: list[Setting] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


def combined(settings: Sequence[Setting]) -> Setting:
    """All of them at once. The C library's tunables share a variable."""
    environment: dict[str, str] = {}
    for name, value in (pair for one in settings for pair in one.environment):
        both = name == surroundings.TUNABLES and name in environment
        environment[name] = f"{environment[name]}:{value}" if both else value
    return Setting("", " and ".join(one.label for one in settings), tuple(environment.items()))


KNOWN = ("openmpi", "mpich")  # MPI libraries whose settings are known


def choose(line: CommandLine, version: int, collectives: Sequence[str] | None = None) -> Choice:
    """Settings worth trying for a launch line; ``collectives`` limits them to these, None: those that the program calls."""
    library = line.flavour
    found = Choice(title(library))
    if library not in KNOWN:
        found.told.append("nothing is known of this MPI library's settings")
        return found
    own = launcher(line.launch.launcher)
    said = [word for word in line.launch.typed or () if word.split("=")[0] in own.binds]
    if own.name != library:
        found.told.append("binding is not tried: it is the launcher's, which is not this MPI library's")
    elif said:
        found.told.append(f"binding is not tried: the launch line says it ({said[0]})")
    else:
        found.settings += [
            Setting(BINDING, name, tuple(variables.items()))
            for name, variables in own.bindings(version).items()
        ]
    if collectives is None:
        found.settings += _around(line, library, version)
    if line.launch.ranks == 1:
        found.told.append("no collectives are tried: there is one rank")
        return found
    called = calls(Path(line.executable.path)) if collectives is None else list(collectives)
    for name in called:
        found.settings += _algorithms(library, name)
    if not called:
        found.told.append("no collectives are tried: the program calls none of those with several algorithms")
    return found


def _around(line: CommandLine, library: str, version: int) -> list[Setting]:
    program = surroundings.Program.of(line, dict(os.environ) | line.variables)
    rows = surroundings.rows(library, version, program)
    return [Setting(row.group, row.name, tuple(row.variables.items())) for row in rows]


def collectives() -> list[str]:
    """Those whose algorithm can be set, as MPI names them."""
    return sorted({one.mpi_name for one in algorithms() if one.openmpi or one.mpich})


def _algorithms(library: str, collective: str) -> list[Setting]:
    rows = [one for one in algorithms() if one.mpi_name == collective]
    if library == "mpich":
        variable = f"MPIR_CVAR_{collective.upper()}_INTRA_ALGORITHM"
        values = sorted(one.mpich for one in rows if one.mpich)
        return [Setting(collective, value, ((variable, value),)) for value in values]
    rules = ("OMPI_MCA_coll_tuned_use_dynamic_rules", "1")
    variable = f"OMPI_MCA_coll_tuned_{collective}_algorithm"
    numbers = sorted((one.number, one.name) for row in rows for one in row.openmpi)
    return [Setting(collective, name, (rules, (variable, str(number)))) for number, name in numbers]


def calls(program: Path) -> list[str]:
    """Collectives whose symbols a program holds (C or Fortran); all of them for what is no machine code, such as Python."""
    try:
        data = program.read_bytes()
    except OSError:
        return collectives()
    if data[:4] != b"\x7fELF" or b"MPI_" not in data and b"mpi_" not in data:
        return collectives()
    return [
        name
        for name in collectives()
        if re.search(rb"\x00P?MPI_%b\x00|\x00p?mpi_%b_" % (name.capitalize().encode(), name.encode()), data)
    ]
