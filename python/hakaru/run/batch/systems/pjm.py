"""PJM, the batch system of Fugaku, FX1000 and FX700: pjsub, pjstat, pjdel (Supercomputer Fugaku Users Guide, sections 5.2 to 5.12).

``pjstat`` tells of jobs that have not ended; who is no longer there has ended. Bulk jobs are arrays, and wait for no other job."""

import re
from collections.abc import Collection
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.run.batch.job import Job, clock
from hakaru.run.batch.site import Site
from hakaru.run.batch.systems.system import BatchSystem, Key, Status, directive_lines

WAITING = {"ACC", "QUE", "RNA", "HLD", "SPP", "SPD", "RSM", "RNP"}
RUNNING = {"RUN", "RNE", "RNO"}
ENDED = {"EXT", "CCL", "RJT", "ERR"}
WATT_HOURS = re.compile(r"(\d+(?:\.\d+)?)\s*(?:Wh?)?$")
SUBMITTED = re.compile(r"Job (\d+) submitted")


class Pjm(BatchSystem):
    name, title = "pjm", "PJM"
    numbers = {"HAKARU_JOB": "$PJM_JOBID", "HAKARU_TASK": "${PJM_BULKNUM:-0}"}
    commands = ("pjsub", "pjstat", "pjdel")

    def directives(self, job: Job, site: Site) -> list[str]:
        if job.after:
            raise UserError(
                "PJM cannot make a job wait for another one",
                "that is for its step jobs",
                "submit the second one when the first has ended",
            )
        options = [
            f"-N {job.name}",
            f"-o {job.folder}/out-%j.txt",
            "-j",
            f'-L "node={job.nodes}"',
            f'-L "elapse={clock(job.time_s)}"',
            f'--mpi "max-proc-per-node={job.ranks_of_node}"',
        ]
        options += [f"-g {site.account}"] if site.account else []
        options += [f'-L "rscgrp={site.partition}"'] if site.partition else []
        return directive_lines("#PJM", [*options, *site.options])

    def submit_command(self, path: Path, job: Job) -> list[str]:
        bulk = ["--bulk", "--sparam", f"0-{job.tasks - 1}"] if job.tasks > 1 else []
        return ["pjsub", *bulk, str(path)]

    def job_id(self, printed: str) -> str:
        """``[INFO] PJM 0000 pjsub Job 12345 submitted.``"""
        if found := SUBMITTED.search(printed):
            return found[1]
        raise ValueError(printed.strip() or "nothing")

    def status_command(self, ids: Collection[str]) -> list[str]:
        return ["pjstat", "-E", *ids]

    def statuses(self, code: int, printed: str, errors: str) -> dict[Key, Status]:
        rows = table(printed)
        if code != 0 and not rows and "does not exist" not in printed + errors:
            raise ValueError((errors or printed).strip() or f"exit status {code}")
        found: dict[Key, Status] = {}
        for row in rows:
            job, _, task = row["JOB_ID"].rstrip("]").partition("[")
            found[job, int(task) if task.isdigit() else None] = _status(row["ST"])
        return found

    def list_command(self, user: str) -> list[str]:
        return ["pjstat"]

    def named(self, printed: str, name: str) -> list[str]:
        return [row["JOB_ID"] for row in table(printed) if row["JOB_NAME"] == name]

    def cancel_command(self, id: str) -> list[str]:
        return ["pjdel", id]

    def energy_command(self, id: str) -> list[str]:
        return ["pjstat", "-H", "-E", "--data", "--choose=jid,econ", id]

    def energies(self, code: int, printed: str, errors: str) -> dict[Key, float]:
        """Of the item ``econ`` of the job statistics: Wh of all nodes of a job (F-DATA, Antici and others, 2024)."""
        rows = [line.split(",") for line in printed.splitlines() if line.startswith(",")]
        if code != 0 and not rows:
            raise ValueError((errors or printed).strip() or f"exit status {code}")
        found: dict[Key, float] = {}
        for row in rows:
            value = WATT_HOURS.match(row[-1].strip())
            job, _, task = row[1].strip().rstrip("]").partition("[")
            if value and float(value[1]) > 0.0:
                found[job, int(task) if task.isdigit() else None] = 3600.0 * float(value[1])
        return found


def table(printed: str) -> list[dict[str, str]]:
    """The rows below the line of names, which begins with JOB_ID; pjstat may print a summary above."""
    names: list[str] = []
    rows = []
    for line in printed.splitlines():
        words = line.split()
        if words[:1] == ["JOB_ID"]:
            names = words
        elif names and len(words) >= 4:
            rows.append(dict(zip(names, words, strict=False)))
    return rows


def _status(state: str) -> Status:
    if state in WAITING:
        return Status("waiting", "held" if state == "HLD" else "")
    if state in ENDED:
        return Status("ended", {"CCL": "cancelled", "RJT": "rejected", "ERR": "error"}.get(state, ""))
    return Status("running")


system = Pjm()
