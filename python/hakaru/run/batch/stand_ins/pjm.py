"""PJM as the Supercomputer Fugaku Users Guide says (pjsub with --bulk --sparam, pjstat -E, pjdel; sections 5.2, 5.4 and 5.12)."""

import re

from batch_queue import Dialect, number_of

COLUMNS = "JOB_ID     JOB_NAME   MD ST  USER     START_DATE      ELAPSE_LIM NODE_REQUIRE    VNODE  CORE V_MEM"
STATES = {"waiting": "QUE", "running": "RUN"}


class Pjm(Dialect):
    prefix = "#PJM"
    refusal = "[ERR.] PJM 0023 pjsub Invalid argument"
    unknown = "[ERR.] PJM 0511 pjstat Job {id} does not exist."
    required = (r'^ -L "node=\d+"$', r'^ -L "elapse=\d\d:\d\d:\d\d"$', r'^ --mpi "max-proc-per-node=\d+"$')

    def tasks(self, directives: str, words: list[str]) -> int:
        if "--bulk" not in words:
            return 1
        return int(re.fullmatch(r"0-(\d+)", words[words.index("--sparam") + 1])[1]) + 1

    def submitted(self, number: int, tasks: int) -> str:
        return f"[INFO] PJM 0000 pjsub Job {number} submitted."

    def variables(self, number: int, task: int, tasks: int) -> dict[str, str]:
        return {"PJM_JOBID": str(number)} | ({"PJM_BULKNUM": str(task)} if tasks > 1 else {})

    def told(self, wanted: list[str], jobs: list[dict]) -> tuple[int, str]:
        lines = [COLUMNS]
        for job in jobs:
            if wanted and job["number"] not in map(number_of, wanted):
                continue
            alive = [(task, state) for task, state in enumerate(job["states"]) if state in STATES]
            if job["tasks"] > 1 and alive:
                lines.append(_line(str(job["number"]), job["name"], "BU", "RUN"))
            for task, state in alive:
                id = f"{job['number']}[{task}]" if job["tasks"] > 1 else str(job["number"])
                lines.append(_line(id, job["name"], "BU" if job["tasks"] > 1 else "NM", STATES[state]))
        return 0, "\n".join(lines)

    def accounted(self, wanted: list[str], jobs: list[dict]) -> tuple[int, str]:
        """Of jobs that have ended (-H), as comma-separated values: 0.5 Wh of the first task, 1.0 of the next."""
        lines = ["H,JOB_ID,ECON"]
        for job in jobs:
            for task, state in enumerate(job["states"]):
                if job["number"] in map(number_of, wanted) and state.startswith("ended"):
                    id = f"{job['number']}[{task}]" if job["tasks"] > 1 else str(job["number"])
                    lines.append(f",{id},{0.5 * (task + 1):.1f}")
        return 0, "\n".join(lines)


def _line(id: str, name: str, model: str, state: str) -> str:
    return (
        f"{id:10} {name:10} {model} {state} user01   11/17 09:01:41  0001:00:00 1               -      -    -"
    )


dialect = Pjm()
