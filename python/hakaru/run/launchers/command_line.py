"""A launch and the program that it starts, as one command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from hakaru.run.launchers.executable import Executable, executable_of
from hakaru.run.launchers.known import launcher, recognise
from hakaru.run.launchers.launch import Launch


@dataclass(frozen=True)
class CommandLine:
    """``program``: its path and arguments; of several programs (``a : -n 1 b``) all words from the first on."""

    launch: Launch
    program: tuple[str, ...]

    @classmethod
    def read(cls, words: Sequence[str]) -> Self:
        """Of what somebody typed. Raises UserError when the launcher or the program is missing."""
        launch, program = recognise(words)
        return cls(launch, tuple(program))

    @property
    def words(self) -> list[str]:
        return self.launch.command(self.program)

    @property
    def variables(self) -> dict[str, str]:
        return self.launch.variables()

    @cached_property
    def executable(self) -> Executable:
        return executable_of(self.program)

    @property
    def flavour(self) -> str:
        """The MPI library of its ranks."""
        if self.executable.flavour:
            return self.executable.flavour
        own = launcher(self.launch.launcher)
        return own.interface or own.name if own.library else "openmpi"

    def exporting(self, variables: Mapping[str, str]) -> Self:
        return replace(self, launch=self.launch.exporting(variables))

    def setting(self, variables: Mapping[str, str]) -> Self:
        return replace(self, launch=self.launch.setting(variables))
