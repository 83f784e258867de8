"""The noun ``Launch``: how ranks are started. It writes and reads its own JSON form (``launch`` in schema/record.schema.json)."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

CORES = "cores"  # every rank gets cores of its own
NONE = "none"  # ranks and threads run wherever the launcher may
BLOCK = "block"  # ranks in order fill a node, then the next
CYCLIC = "cyclic"  # they go round the nodes
MEMORY = {"": (), "local": ("numactl", "--localalloc"), "interleave": ("numactl", "--interleave=all")}

Pairs = tuple[tuple[str, str], ...]


def pairs(variables: Mapping[str, str]) -> Pairs:
    return tuple(sorted(variables.items()))


@dataclass(frozen=True)
class Launch:
    """``launcher``: name of a file of this folder. ``ranks`` is None where a line that somebody typed does not say it.

    ``threads``: of a rank. ``threads_of_core``: hardware threads of a core that are used. ``sockets``: of a node over which ranks are spread
    evenly (0: they fill one, then the next). ``hosts``: (address, ranks that it holds), none: this one or the batch system's.
    ``oversubscribed``: threads outnumber hardware threads, so who waits gives way. ``memory``: placement by numactl, a key of ``MEMORY``.
    ``settings``: the MPI library's own parameters. ``environment``: set for launcher and ranks; ``exported``: handed to the ranks alone.
    ``typed``: the launcher's words as somebody typed them, which count instead of what the fields would give; None: nobody did."""

    launcher: str
    ranks: int | None = 1
    threads: int = 1
    nodes: int = 1
    threads_of_core: int = 1
    binding: str = CORES
    mapping: str = BLOCK
    sockets: int = 0
    hosts: tuple[tuple[str, int], ...] = ()
    oversubscribed: bool = False
    memory: str = ""
    settings: Pairs = ()
    environment: Pairs = ()
    exported: Pairs = ()
    typed: tuple[str, ...] | None = None

    @property
    def ranks_of_node(self) -> int:
        return -(-(self.ranks or 1) // self.nodes)

    def exporting(self, variables: Mapping[str, str]) -> Self:
        """The same launch with more variables for the ranks alone: a preloaded library must not get into the launcher."""
        return replace(self, exported=tuple((dict(self.exported) | dict(variables)).items()))

    def setting(self, variables: Mapping[str, str]) -> Self:
        """The same launch with more variables for launcher and ranks."""
        return replace(self, environment=pairs(dict(self.environment) | dict(variables)))

    def command(self, program: Sequence[str]) -> list[str]:
        """The words that start ``program`` (its path and arguments)."""
        from hakaru.run.launchers.known import launcher

        own = launcher(self.launcher)
        head = own.head(self) if self.typed is None else list(self.typed)
        return own.handed_over(head, [*MEMORY[self.memory], *program], dict(self.exported))

    def variables(self) -> dict[str, str]:
        """What is added to the environment in which ``command`` is run."""
        from hakaru.run.launchers.known import launcher

        own = launcher(self.launcher)
        mine = openmp(self) | own.environment(self) if self.typed is None else {}
        return mine | dict(self.environment) | own.set_for_ranks(dict(self.exported))

    def line(self, program: Sequence[str]) -> str:
        """The whole as one would type it."""
        assignments = [f"{name}={shlex.quote(value)}" for name, value in pairs(self.variables())]
        return " ".join([*assignments, shlex.join(self.command(program))])

    def advised(self) -> str:
        """What to type in front of a program on a machine that is not this one: plain names, and OpenMP's variables."""
        from hakaru.run.launchers.known import launcher

        own = launcher(self.launcher)
        assignments = [f"{name}={value}" for name, value in pairs(openmp(self))]
        return " ".join([*assignments, own.plain, *own.options(self)])

    def as_dict(self) -> dict[str, object]:
        """Its JSON form; what is as it is without being said is left out."""
        return {
            name: _plain(value)
            for name, value in asdict(self).items()
            if name in ALWAYS_SAID or value != DEFAULTS[name]
        }

    @classmethod
    def of_context(cls, context: Mapping[str, Any]) -> Self | None:
        """What a record's context says; None for records that are older, or of a program that somebody started by hand."""
        return cls.from_dict(context["launch"]) if "launch" in context else None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Raises ValueError for what is none."""
        if not isinstance(data, Mapping) or not isinstance(data.get("launcher"), str):
            raise ValueError("a launch has a launcher")
        if unknown := set(data) - {one.name for one in fields(cls)}:
            raise ValueError(f"a launch has no {', '.join(sorted(unknown))}")
        values = dict(data)
        for name in ("settings", "environment", "exported"):
            if name in values:
                values[name] = pairs(values[name])
        if "hosts" in values:
            values["hosts"] = tuple((host["address"], host["slots"]) for host in values["hosts"])
        if "typed" in values:
            values["typed"] = tuple(values["typed"])
        return cls(**values)


DEFAULTS = {one.name: one.default for one in fields(Launch)}
ALWAYS_SAID = ("launcher", "ranks", "threads")


def _plain(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    if not value or isinstance(value[0], str):
        return list(value)
    if isinstance(value[0][1], int):
        return [{"address": address, "slots": slots} for address, slots in value]
    return dict(value)


def openmp(launch: Launch) -> dict[str, str]:
    """OpenMP settings of a rank: its threads stay on what the rank was given, one a core, or spread over the hardware threads in use. Where
    threads outnumber processors they are not bound and sleep while they wait, since a spinning waiter would keep the core from the one it
    waits for; where several ranks are not bound, their threads are not either, or all would sit on the first cores."""
    count = {"OMP_NUM_THREADS": str(launch.threads)}
    if launch.threads == 1:
        return count
    if launch.oversubscribed:
        return count | {"OMP_WAIT_POLICY": "passive"}
    if launch.binding == NONE and launch.ranks != 1:
        return count | {"OMP_PROC_BIND": "false"}
    if launch.threads_of_core > 1:
        return count | {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads"}
    return count | {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
