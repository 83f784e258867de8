"""NQSV as public job scripts use it (qsub, qstat, qdel); its states and array names are a guess."""

import re

from batch_queue import Dialect, number_of

COLUMNS = "RequestID       ReqName  UserName Queue     Pri STT S   Memory      CPU   Elapse R H M Jobs"
STATES = {"waiting": "QUE", "running": "RUN"}


class Nqsv(Dialect):
    refusal = "qsub: Exceeded per-request elapse time limit."
    unknown = "Batch Request: {id} does not exist on head."
    required = (
        r"^ -b \d+$",
        r"^ -T (openmpi|intmpi|distrib)$",
        r"^ -l elapstim_req=\d\d:\d\d:\d\d$",
        r"^ -l cpunum_job=\d+$",
    )

    def tasks(self, directives: str, words: list[str]) -> int:
        found = re.search(r"^ -t 0-(\d+)$", directives, re.MULTILINE)
        return int(found[1]) + 1 if found else 1

    def submitted(self, number: int, tasks: int) -> str:
        return f"Request {number}{'[]' * (tasks > 1)}.head submitted to queue: small."

    def variables(self, number: int, task: int, tasks: int) -> dict[str, str]:
        if tasks == 1:
            return {"PBS_JOBID": f"0:{number}.head"}
        return {"PBS_JOBID": f"0:{number}[{task}].head", "PBS_SUBREQNO": str(task)}

    def told(self, wanted: list[str], jobs: list[dict]) -> tuple[int, str]:
        lines = [
            COLUMNS,
            "-" * 15 + " -------- -------- -------- ---- --- - -------- -------- -------- - - - ----",
        ]
        for job in jobs:
            if wanted and job["number"] not in map(number_of, wanted):
                continue
            for task, state in enumerate(job["states"]):
                if state in STATES:
                    id = f"{job['number']}[{task}].head" if job["tasks"] > 1 else f"{job['number']}.head"
                    row = f"{id:15} {job['name'][:8]:8} user01   small       0 {STATES[state]} -    0.00B     0.00        0 Y Y Y    1"
                    lines.append(row)
        return 0, "\n".join(lines)


dialect = Nqsv()
