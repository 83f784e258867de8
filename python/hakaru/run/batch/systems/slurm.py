"""Slurm: sbatch, squeue, scancel (sbatch(1), squeue(1) of 22.05). A node's tasks and processors are asked for; srun starts the ranks."""

import re
from collections.abc import Collection
from pathlib import Path

from hakaru.run.batch.job import Job, clock
from hakaru.run.batch.site import Site
from hakaru.run.batch.systems.system import BatchSystem, Key, Status, directive_lines

WAITING = {
    "PENDING",
    "CONFIGURING",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "SPECIAL_EXIT",
    "RESV_DEL_HOLD",
}
RUNNING = {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT"}
NO_VALUE = 2**63  # Slurm's NO_VAL64 and INFINITE64 lie above it
UNKNOWN_JOB = "Invalid job id"


class Slurm(BatchSystem):
    name, title, launcher = "slurm", "Slurm", "srun"
    numbers = {
        "HAKARU_JOB": "${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}",
        "HAKARU_TASK": "${SLURM_ARRAY_TASK_ID:-0}",
    }
    commands = ("sbatch", "squeue", "scancel")

    def directives(self, job: Job, site: Site) -> list[str]:
        several = job.tasks > 1
        options = [
            f"--job-name={job.name}",
            f"--output={job.folder}/out-{'%A-%a' if several else '%j'}.txt",
            f"--nodes={job.nodes}",
            f"--ntasks-per-node={job.ranks_of_node}",
            f"--cpus-per-task={job.threads}",
            f"--time={clock(job.time_s)}",
            "--no-requeue",
        ]
        options += ["--exclusive"] if site.exclusive else []
        if several:
            options += [f"--array=0-{job.tasks - 1}{f'%{job.at_once}' if job.at_once else ''}"]
        options += [f"--dependency=afterany:{':'.join(job.after)}"] if job.after else []
        options += [f"--account={site.account}"] if site.account else []
        options += [f"--partition={site.partition}"] if site.partition else []
        return directive_lines("#SBATCH", [*options, *site.options])

    def submit_command(self, path: Path, job: Job) -> list[str]:
        return ["sbatch", "--parsable", str(path)]

    def job_id(self, printed: str) -> str:
        """``12`` or ``12;cluster``."""
        if found := re.search(r"^(\d+)(;\S*)?$", printed, re.MULTILINE):
            return found[1]
        raise ValueError(printed.strip() or "nothing")

    def status_command(self, ids: Collection[str]) -> list[str]:
        columns = "--format=%F|%K|%T|%r"
        return ["squeue", "--noheader", "--array", "--states=all", columns, f"--jobs={','.join(ids)}"]

    def statuses(self, code: int, printed: str, errors: str) -> dict[Key, Status]:
        if code != 0 and UNKNOWN_JOB not in errors:
            raise ValueError(errors.strip() or f"exit status {code}")
        found: dict[Key, Status] = {}
        for line in printed.splitlines():
            job, task, state, why = line.strip().split("|", 3)
            word = "waiting" if state in WAITING else "running" if state in RUNNING else "ended"
            told = why if word == "waiting" else "" if state in (*RUNNING, "COMPLETED") else state
            found[job, int(task) if task.isdigit() else None] = Status(word, "" if told == "None" else told)
        return found

    def list_command(self, user: str) -> list[str]:
        return ["squeue", "--noheader", "--states=all", "--format=%F|%j", f"--user={user}"]

    def named(self, printed: str, name: str) -> list[str]:
        lines = [line.strip().partition("|") for line in printed.splitlines()]
        return list(dict.fromkeys(job for job, _, its in lines if its == name))

    def cancel_command(self, id: str) -> list[str]:
        return ["scancel", "--quiet", id]

    def energy_command(self, id: str) -> list[str]:
        return ["sacct", "--noheader", "--parsable2", "--format=JobID,ConsumedEnergyRaw", f"--jobs={id}"]

    def energies(self, code: int, printed: str, errors: str) -> dict[Key, float]:
        """Of the job's own line; where that has none, the largest of what covers it: the step ``extern`` (all nodes), ``batch`` (the first
        one), or all others together. They overlap and are never added up. 0 and NO_VAL64 mean that no node was measured."""
        if code != 0:
            raise ValueError(errors.strip() or f"exit status {code}")
        parts: dict[Key, dict[str, float]] = {}
        for line in printed.splitlines():
            name, _, text = line.strip().partition("|")
            job, _, step = name.partition(".")
            number, _, task = job.partition("_")
            if text.isdigit() and 0 < int(text) < NO_VALUE:
                key = number, int(task) if task.isdigit() else None
                kind = step if step in ("", "extern", "batch") else "steps"
                own = parts.setdefault(key, {})
                own[kind] = own.get(kind, 0.0) + float(text)
        return {key: own.get("") or max(own.values()) for key, own in parts.items()}


system = Slurm()
