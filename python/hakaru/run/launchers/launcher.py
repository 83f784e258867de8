"""What a launcher is: the few questions that differ between Open MPI's mpirun, Hydra, srun and no launcher at all."""

import abc
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.run.launchers.launch import Launch

NO_PROGRAM = "no word after the launcher names an executable file"


class Launcher(abc.ABC):
    """One way of starting ranks. A file of this folder holds a class derived from this one and ``launcher``, an object of it."""

    name = ""
    title = ""  # of the MPI library whose launcher it is
    commands = re.compile(r"(?!)")  # what the command is called
    plain = "mpirun"  # its usual name
    says: tuple[str, ...] = ()  # one of these is in what ``--version`` prints; (): the name is enough
    valued: Mapping[str, int] = {}  # options of a typed line -> how many words are their values
    counts: tuple[str, ...] = ("-n", "-np")  # options that say the number of ranks
    binds: tuple[str, ...] = ()  # options that say a binding
    shares_cores = (
        False  # it can put so many ranks of one thread on a core, and leave some of its hardware threads idle
    )
    library = True  # it belongs to an MPI library, which it names
    interface = ""  # the MPI library whose binary interface that has, where it is another's

    def executable(self) -> str:
        """What is started; a Debian name goes before the plain one, which may be another library's."""
        return shutil.which(f"mpirun.{self.name}") or self.plain

    def head(self, launch: Launch) -> list[str]:
        """The words before the program."""
        return [self.executable(), *self.options(launch)]

    @abc.abstractmethod
    def options(self, launch: Launch) -> list[str]:
        """How many ranks and where. Raises UserError for what this launcher cannot do."""

    def environment(self, launch: Launch) -> dict[str, str]:
        """What the launcher itself needs."""
        return {}

    @abc.abstractmethod
    def handed_over(
        self, head: Sequence[str], program: Sequence[str], variables: Mapping[str, str]
    ) -> list[str]:
        """The whole line, with the ``variables`` given to the ranks and to nothing else."""

    def set_for_ranks(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Those of the ranks' variables that no word of the line can carry."""
        return {}

    def bindings(self, version: int) -> dict[str, dict[str, str]]:
        """Named bindings as variables of the environment, for lines that somebody else typed."""
        return {}

    def recognised(self, words: Sequence[str]) -> tuple[Launch, list[str]]:
        """The launch of a typed line and the words of its program. Raises UserError when it starts none."""
        start = self.start_of_program(words)
        launch = Launch(self.name, self.ranks(words[:start]), typed=tuple(words[:start]))
        return launch, list(words[start:])

    def start_of_program(self, words: Sequence[str]) -> int:
        """Index of the first word that is neither an option nor the value of one."""
        at = 1
        while at < len(words):
            word = words[at]
            if word.startswith("-"):
                at += 1 + (self.valued.get(word, 0) if "=" not in word else 0)
            elif shutil.which(word):
                return at
            else:
                at += 1
        raise UserError(
            f"'{' '.join(words)}' starts no program",
            NO_PROGRAM,
            "check the path of the program, and that it is executable",
        )

    def ranks(self, words: Sequence[str]) -> int | None:
        """As many as the line says; None where it does not, or not in digits."""
        for word, value in zip(words, [*words[1:], ""], strict=True):
            name, equals, joined = word.partition("=")
            text = joined if equals else value
            if name in self.counts and text.isdigit():
                return int(text)
        return None

    def is_called(self, command: str) -> bool:
        return self.commands.fullmatch(Path(command).name) is not None

    @staticmethod
    def version(said: str) -> int | None:
        """Major version in what a launcher says of itself."""
        found = re.search(r"\b(\d+)\.\d+", said)
        return int(found[1]) if found else None


def cores_of_rank(launch: Launch) -> int | None:
    """Whole cores that a rank gets; None when its threads do not fill whole cores, so that it gets hardware threads."""
    cores, rest = divmod(launch.threads, launch.threads_of_core)
    return None if rest else cores
