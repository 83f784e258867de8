"""Batch systems through PSI/J (psij-python): submission and cancelling, with our batch systems as executors in its plug-in form.

Beside PSI/J stand what it cannot do: arrays; questions about jobs that another process submitted, which it asks from a thread of the process
that submitted them, taking a queue that does not answer for failed jobs; and scripts that can be shown before they are submitted. Its own
executors for Slurm and PBS know no arrays either, so all four are ours."""

import getpass
import shutil
import subprocess
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

from hakaru.base.errors import ENVIRONMENT, UserError
from hakaru.run.batch.job import Job
from hakaru.run.batch.site import Site
from hakaru.run.batch.systems.system import BatchSystem, Key, Status

ANSWER_LIMIT_S = 60.0
Answer = TypeVar("Answer")
NEVER_S = 10**6  # between questions of PSI/J's own thread: hakaru asks by itself


def require_commands(system: BatchSystem) -> None:
    """Raises UserError when the batch system's commands are not here."""
    if missing := [name for name in system.commands if not shutil.which(name)]:
        raise UserError(
            f"{system.title} cannot be reached from here",
            f"there is no {missing[0]} on PATH",
            "submit on a login node, or name another batch system in site.toml",
            ENVIRONMENT,
        )


def submit(system: BatchSystem, site: Site, job: Job) -> str:
    """The id that the batch system gives to the job. Raises UserError with its own words when it refuses."""
    require_commands(system)
    psij = _psij()
    executor = _executor(system, job.folder, system.script(job, site), job)
    asked = psij.Job(psij.JobSpec(executable=job.words[0], arguments=list(job.words[1:]), name=job.name))
    try:
        executor.submit(asked)
    except psij.SubmitException as error:
        raise UserError(
            f"{system.title} refuses a job of {job.nodes} node{'s' * (job.nodes > 1)}",
            " ".join(str(error).split()),
            "change site.toml, or ask for less; nothing was submitted",
            ENVIRONMENT,
        ) from None
    except ValueError as error:
        raise UserError(
            f"{system.title} gave no id for a job",
            f"it said: {' '.join(str(error).split())}",
            "look into the queue; hakaru finds the job by its name when it is there",
            ENVIRONMENT,
        ) from None
    return asked.native_id


def cancel(system: BatchSystem, id: str, folder: Path) -> None:
    """Raises UserError when the batch system does not do so."""
    require_commands(system)
    psij = _psij()
    executor, job = _executor(system, folder), psij.Job()
    executor.attach(job, id)
    try:
        executor.cancel(job)
    except psij.SubmitException as error:
        raise UserError(
            f"{system.title} does not cancel the job {id}",
            " ".join(str(error).split()),
            "see whether it is yours, and still there",
            ENVIRONMENT,
        ) from None


def statuses(system: BatchSystem, ids: Collection[str]) -> dict[Key, Status]:
    """Of the jobs that the batch system still knows. Raises UserError when it does not answer: then nothing is known of any."""
    require_commands(system)
    return _told(system.status_command(ids), system.statuses, system) if ids else {}


def named(system: BatchSystem, name: str) -> list[str]:
    """Ids of this user's jobs of that name. Raises UserError when the batch system does not answer."""

    def read(code: int, out: str, errors: str) -> list[str]:
        _require(code == 0, errors or out)
        return system.named(out, name)

    return _told(system.list_command(getpass.getuser()), read, system)


def energies(system: BatchSystem, id: str) -> dict[Key, float]:
    """In J, of the tasks of a job that has ended, as far as the accounting knows. Raises UserError when it does not answer."""
    words = system.energy_command(id)
    if not words:
        raise UserError(f"{system.title} tells no energies", "hakaru knows no command of it that does")
    return _told(words, system.energies, system)


def _require(condition: bool, why: str) -> None:
    if not condition:
        raise ValueError(why.strip() or "it said nothing")


def _told(words: Sequence[str], read: Callable[[int, str, str], Answer], system: BatchSystem) -> Answer:
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", timeout=ANSWER_LIMIT_S, check=False
        )
        return read(done.returncode, done.stdout, done.stderr)
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        raise UserError(
            f"{system.title} does not answer '{words[0]}'",
            " ".join(str(error).split()),
            "try again later; nothing was changed",
            ENVIRONMENT,
        ) from None


def _psij() -> Any:
    try:
        import psij
    except ImportError:
        raise UserError(
            "jobs cannot be submitted",
            "PSI/J is not installed",
            "install it with: pip install psij-python",
            ENVIRONMENT,
        ) from None
    return psij


def _executor(system: BatchSystem, folder: Path, script: str = "", job: Job | None = None) -> Any:
    """A PSI/J executor, for one job of ours where there is one to submit."""
    import psij
    from packaging.version import Version
    from psij.executors.batch.batch_scheduler_executor import (
        BatchSchedulerExecutor,
        BatchSchedulerExecutorConfig,
    )

    class Executor(BatchSchedulerExecutor):
        _NAME_, _VERSION_ = f"hakaru-{system.name}", Version("1")

        def generate_submit_script(self, _job: object, _context: object, file: IO[str]) -> None:
            file.write(script)

        def get_submit_command(self, _job: object, path: Path) -> list[str]:
            assert job is not None
            return system.submit_command(path, job)

        def job_id_from_submit_output(self, out: str) -> str:
            return system.job_id(out)

        def get_cancel_command(self, native_id: str) -> list[str]:
            return system.cancel_command(native_id)

        def process_cancel_command_output(self, exit_code: int, out: str) -> None:
            raise psij.SubmitException(out)

        def get_status_command(self, native_ids: Collection[str]) -> list[str]:
            return system.status_command(native_ids)

        def parse_status_output(self, exit_code: int, out: str) -> dict[str, Any]:
            known = system.statuses(exit_code, out, out)
            states = {"waiting": psij.JobState.QUEUED, "running": psij.JobState.ACTIVE}
            return {
                id: psij.JobStatus(states.get(one.state, psij.JobState.COMPLETED), message=one.why)
                for (id, _), one in known.items()
            }

        def get_list_command(self) -> list[str]:
            return system.list_command(getpass.getuser())

        def parse_list_output(self, out: str) -> list[str]:
            return system.named(out, job.name if job else "")

    configuration = BatchSchedulerExecutorConfig(
        work_directory=folder / "psij",
        queue_polling_interval=NEVER_S,
        initial_queue_polling_delay=NEVER_S,
        keep_files=True,
    )
    return Executor(config=configuration)
