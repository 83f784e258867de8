"""NQSV, the batch system of SX-Aurora TSUBASA and of clusters by NEC: qsub, qstat, qdel as public job scripts use them; no manual could be read.

Without an MPI library in ``-T`` it runs the script on every node, and all but the first have nothing to do. Parametric requests are arrays."""

import re
from collections.abc import Collection
from pathlib import Path

from hakaru.run.batch.job import Job, clock
from hakaru.run.batch.site import Site
from hakaru.run.batch.systems.system import BatchSystem, Key, Status, directive_lines

WAITING = {"QUE", "WAT", "HLD", "STG", "ARI", "TRS", "ASG", "PRR", "HOL", "MIG", "FWD", "CHK"}
ENDED = {"EXT", "POR", "EXD"}
TOPOLOGY = {"openmpi": "openmpi", "intelmpi": "intmpi", "mpich": "distrib"}
SUBMITTED = re.compile(r"Request (\S+) submitted to queue")
ID = re.compile(r"(\d+)(?:\[(\d*)\])?(\.\S*)?")


class Nqsv(BatchSystem):
    name, title = "nqsv", "NQSV"
    numbers = {"HAKARU_JOB": "${PBS_JOBID#*:}", "HAKARU_TASK": "${PBS_SUBREQNO:-0}"}
    guard = 'case "$PBS_JOBID" in 0:*) ;; *:*) exit 0 ;; esac'  # the number of the node's job in the request
    hosts_variable = "PBS_NODEFILE"
    longest_name = 63
    commands = ("qsub", "qstat", "qdel")

    def directives(self, job: Job, site: Site) -> list[str]:
        topology = TOPOLOGY.get(site.launcher or self.launcher, "distrib")
        options = [
            f"-N {job.name}",
            f"-o {job.folder}/out-%r.txt",
            "-j o",
            f"-b {job.nodes}",
            f"-T {topology}",
            f"-l cpunum_job={job.cores_of_node}",
            f"-l elapstim_req={clock(job.time_s)}",
            "-r n",
        ]
        options += [f"-t 0-{job.tasks - 1}"] if job.tasks > 1 else []
        options += [f"--after {','.join(job.after)}"] if job.after else []
        options += [f"-A {site.account}"] if site.account else []
        options += [f"-q {site.partition}"] if site.partition else []
        return directive_lines("#PBS", [*options, *site.options])

    def submit_command(self, path: Path, job: Job) -> list[str]:
        return ["qsub", str(path)]

    def job_id(self, printed: str) -> str:
        """``Request 123.server submitted to queue: small.``"""
        if found := SUBMITTED.search(printed):
            return found[1]
        raise ValueError(printed.strip() or "nothing")

    def status_command(self, ids: Collection[str]) -> list[str]:
        return ["qstat", *ids]

    def statuses(self, code: int, printed: str, errors: str) -> dict[Key, Status]:
        rows = _rows(printed)
        if code != 0 and not rows and "does not exist" not in printed + errors:
            raise ValueError((errors or printed).strip() or f"exit status {code}")
        return {_key(row["RequestID"]): _status(row["STT"]) for row in rows}

    def list_command(self, user: str) -> list[str]:
        return ["qstat"]

    def named(self, printed: str, name: str) -> list[str]:
        """qstat shows the beginning of a name, eight characters."""
        return [row["RequestID"] for row in _rows(printed) if name[:8] == row["ReqName"][:8]]

    def cancel_command(self, id: str) -> list[str]:
        return ["qdel", id]


def _rows(printed: str) -> list[dict[str, str]]:
    """Between the line of names and the end, without the line of dashes."""
    names: list[str] = []
    rows = []
    for line in printed.splitlines():
        words = line.split()
        if words[:1] == ["RequestID"]:
            names = words
        elif names and words and ID.fullmatch(words[0]):
            rows.append(dict(zip(names, words, strict=False)))
    return rows


def _key(id: str) -> Key:
    found = ID.fullmatch(id)
    if found and found[2]:
        return f"{found[1]}[]{found[3] or ''}", int(found[2])
    return id, None


def _status(state: str) -> Status:
    return Status("waiting" if state in WAITING else "ended" if state in ENDED else "running")


system = Nqsv()
