"""PBS Professional and OpenPBS: qsub, qstat, qdel (PBS Professional Reference Guide 2021.1; qsub(1B), qstat(1B))."""

import json
import re
from collections.abc import Collection
from pathlib import Path

from hakaru.run.batch.job import Job, clock
from hakaru.run.batch.site import Site
from hakaru.run.batch.systems.system import BatchSystem, Key, Status, directive_lines

WAITING = set("HQTWM")
RUNNING = set("BERSU")  # S and U hold nodes or wait for them again: not ended
KILLED = 256  # an exit status from here on is 256 + the number of a signal
UNKNOWN_JOB = "Unknown Job Id"
ID = re.compile(r"(\d+)(?:\[(\d*)\])?(\..*)?")


class Pbs(BatchSystem):
    name, title = "pbs", "PBS"
    numbers = {"HAKARU_JOB": "$PBS_JOBID", "HAKARU_TASK": "${PBS_ARRAY_INDEX:-0}"}
    longest_name = 15  # of a job that any server takes
    commands = ("qsub", "qstat", "qdel")

    def directives(self, job: Job, site: Site) -> list[str]:
        place = "scatter:excl" if site.exclusive else "scatter"
        cores = job.cores_of_node
        options = [
            f"-N {job.name}",
            f"-o {job.folder}/",
            "-j oe",
            f"-l select={job.nodes}:ncpus={cores}:mpiprocs={job.ranks_of_node}:ompthreads={job.threads}",
            f"-l place={place}",
            f"-l walltime={clock(job.time_s)}",
            "-r n" if job.tasks == 1 else "-r y",  # arrays must be rerunnable
        ]
        options += (
            [f"-J 0-{job.tasks - 1}{f'%{job.at_once}' if job.at_once else ''}"] if job.tasks > 1 else []
        )
        options += [f"-W depend=afterany:{':'.join(job.after)}"] if job.after else []
        options += [f"-A {site.account}"] if site.account else []
        options += [f"-q {site.partition}"] if site.partition else []
        return directive_lines("#PBS", [*options, *site.options])

    def submit_command(self, path: Path, job: Job) -> list[str]:
        return ["qsub", str(path)]

    def job_id(self, printed: str) -> str:
        """``123.server`` or ``123[].server``."""
        last = (printed.split() or [""])[-1]
        if ID.fullmatch(last):
            return last
        raise ValueError(printed.strip() or "nothing")

    def status_command(self, ids: Collection[str]) -> list[str]:
        return ["qstat", "-x", "-t", "-f", "-F", "json", *ids]

    def statuses(self, code: int, printed: str, errors: str) -> dict[Key, Status]:
        if code != 0 and UNKNOWN_JOB not in errors:
            raise ValueError(errors.strip() or f"exit status {code}")
        jobs = json.loads(printed).get("Jobs", {}) if printed.strip() else {}
        return {_key(id): _status(job) for id, job in jobs.items()}

    def list_command(self, user: str) -> list[str]:
        return ["qstat", "-x", "-f", "-F", "json"]

    def named(self, printed: str, name: str) -> list[str]:
        jobs = json.loads(printed).get("Jobs", {}) if printed.strip() else {}
        return [id for id, job in jobs.items() if job.get("Job_Name") == name]

    def cancel_command(self, id: str) -> list[str]:
        return ["qdel", id]


def _key(id: str) -> Key:
    """``123[4].server`` is task 4 of ``123[].server``."""
    found = ID.fullmatch(id)
    if found and found[2]:
        return f"{found[1]}[]{found[3] or ''}", int(found[2])
    return id, None


def _status(job: dict[str, object]) -> Status:
    state, code = str(job["job_state"]), int(job.get("Exit_status", 0))
    comment = str(job.get("comment", ""))
    if state in WAITING:
        return Status("waiting", comment)
    if state in RUNNING:
        return Status("running")
    return Status("ended", f"ended by signal {code - KILLED}" if code > KILLED else comment if code else "")


system = Pbs()
