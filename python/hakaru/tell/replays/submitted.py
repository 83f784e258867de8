"""A sweep or a sensitivity as jobs of a batch system: each task replays its share and keeps it in the results folder, on a shared disk."""

import secrets
import sys
from dataclasses import replace
from pathlib import Path

from hakaru.base.commands import words_of
from hakaru.base.errors import UserError
from hakaru.base.files import write_atomically
from hakaru.foretell.replay.what_if import TASK
from hakaru.run.batch import executor
from hakaru.run.batch.job import Job
from hakaru.run.batch.site import Site, site_file
from hakaru.run.batch.submitting import own_variables, require_plain
from hakaru.run.batch.systems.known import batch_system
from hakaru.tell.replays.options import Request

IN_FOLDER = ("sh", "-c", 'cd "$0" && exec "$@"')  # files are named from where the person stands


def submit(request: Request, results: Path) -> None:
    """Raises UserError when the batch system refuses or does not answer."""
    site = Site.read(site_file(request.site))
    system, tasks = batch_system(site.system), request.submit or 1
    if tasks > site.most_tasks:
        raise UserError(f"--submit {tasks}", f"the site takes {site.most_tasks} tasks", "ask for fewer")
    require_plain(results.resolve())
    job = _job(request, results, site, f"h{secrets.token_hex(3)}-replay"[: system.longest_name], tasks)
    script = system.script(job, site)
    if request.dry_run:
        print(script)
        print(
            f"# {' '.join(system.submit_command(job.folder / 'script', job))}   # {tasks} tasks; nothing was submitted"
        )
        return
    executor.require_commands(system)
    job.folder.mkdir(parents=True)
    write_atomically(job.folder / "script", lambda file: file.write(script.encode()))
    id = executor.submit(system, site, job)
    print(f"submitted {id}: {tasks} tasks, each a share; what they print is in {job.folder}")
    print("the same line without --submit then has all replays, and makes those that are missing")


def _job(request: Request, results: Path, site: Site, name: str, tasks: int) -> Job:
    own = replace(
        request, submit=None, site=None, share=f"{TASK}/{tasks}", results=str(results.resolve()), page=None
    )
    words = (sys.executable, "-P", "-m", "hakaru", "replay", *words_of(own))
    return Job(
        name,
        (results / "jobs" / "replays" / name).resolve(),
        (*IN_FOLDER, str(Path.cwd()), *words),
        threads=site.cores,
        time_s=site.longest_s,
        tasks=tasks,
        at_once=site.at_once,
        variables=tuple(sorted((own_variables(results.resolve(), site) | site.environment).items())),
    )
