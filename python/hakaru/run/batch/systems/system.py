"""What a batch system is: the questions that differ between Slurm, PBS, PJM and NQSV."""

import abc
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hakaru.run.batch.job import Job, script
from hakaru.run.batch.site import Site

State = Literal["waiting", "running", "ended"]
Key = tuple[str, int | None]  # id of a job, number of its task in an array


@dataclass(frozen=True)
class Status:
    """``why``: the batch system's own word for the reason; "" where it has none."""

    state: State
    why: str = ""


class BatchSystem(abc.ABC):
    """A file of this folder holds a class derived from this one and ``system``, an object of it. It starts nothing: it gives words and reads
    what commands have printed."""

    name = ""
    title = ""
    launcher = "openmpi"  # that starts ranks in its jobs unless the site says otherwise
    numbers: dict[str, str] = {}  # HAKARU_JOB and HAKARU_TASK in terms of its variables
    hosts_variable = (
        ""  # of the environment: the file that lists the nodes of a job, where launchers have to be told
    )
    guard = ""  # a line of the script that ends it on nodes where it has nothing to do
    longest_name = 64  # characters of a job's name, of which the first eight are unique
    commands: tuple[str, ...] = ()  # that have to be there

    @abc.abstractmethod
    def directives(self, job: Job, site: Site) -> list[str]:
        """The comment lines at the top of a script."""

    def script(self, job: Job, site: Site) -> str:
        guard = [self.guard] if self.guard else []
        return script(job, self.directives(job, site), self.numbers, site.modules, guard)

    @abc.abstractmethod
    def submit_command(self, path: Path, job: Job) -> list[str]: ...

    @abc.abstractmethod
    def job_id(self, printed: str) -> str:
        """The id in what the submitting command printed. Raises ValueError when there is none."""

    @abc.abstractmethod
    def status_command(self, ids: Collection[str]) -> list[str]: ...

    @abc.abstractmethod
    def statuses(self, code: int, printed: str, errors: str) -> dict[Key, Status]:
        """Of all jobs that the status command told of; who is missing is no longer known there. Raises ValueError when it was no answer."""

    @abc.abstractmethod
    def list_command(self, user: str) -> list[str]:
        """What lists the user's jobs with their names."""

    @abc.abstractmethod
    def named(self, printed: str, name: str) -> list[str]:
        """Ids of the jobs of that name in what the list command printed."""

    @abc.abstractmethod
    def cancel_command(self, id: str) -> list[str]: ...

    def energy_command(self, id: str) -> list[str]:
        """What tells the energy of a job that has ended; empty where nothing does."""
        return []

    def energies(self, code: int, printed: str, errors: str) -> dict[Key, float]:
        """Energy in J of each task that the energy command told of. Raises ValueError when it was no answer."""
        return {}


def directive_lines(prefix: str, options: Sequence[str]) -> list[str]:
    return [f"{prefix} {option}" for option in options]
