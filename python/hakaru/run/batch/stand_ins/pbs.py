"""PBS Pro as its Reference Guide says (qsub, qstat -f -F json -x -t, qdel; 2021.1, sections 2 and 8.1)."""

import json
import re

from batch_queue import Dialect, number_of


class Pbs(Dialect):
    required = (
        r"^ -N [A-Za-z][A-Za-z0-9_.-]{0,14}$",
        r"^ -l select=\d+:ncpus=\d+:mpiprocs=\d+:ompthreads=\d+$",
        r"^ -l walltime=\d\d:\d\d:\d\d$",
        r"^ -l place=(scatter|scatter:excl)$",
    )

    def tasks(self, directives: str, words: list[str]) -> int:
        found = re.search(r"^ -J 0-(\d+)(%\d+)?$", directives, re.MULTILINE)
        return int(found[1]) + 1 if found else 1

    def submitted(self, number: int, tasks: int) -> str:
        return f"{number}[].head" if tasks > 1 else f"{number}.head"

    def variables(self, number: int, task: int, tasks: int) -> dict[str, str]:
        if tasks == 1:
            return {"PBS_JOBID": f"{number}.head"}
        return {"PBS_JOBID": f"{number}[{task}].head", "PBS_ARRAY_INDEX": str(task)}

    def told(self, wanted: list[str], jobs: list[dict]) -> tuple[int, str]:
        found = {}
        for job in jobs:
            if wanted and job["number"] not in map(number_of, wanted):
                continue
            if job["tasks"] > 1:
                done = all(state.startswith("ended") for state in job["states"])
                found[f"{job['number']}[].head"] = {
                    "Job_Name": job["name"],
                    "job_state": "F" if done else "B",
                }
            for task, state in enumerate(job["states"]):
                id = f"{job['number']}[{task}].head" if job["tasks"] > 1 else f"{job['number']}.head"
                found[id] = {"Job_Name": job["name"], **_attributes(state)}
        return 0, json.dumps({"timestamp": 0, "pbs_version": "2021.1", "pbs_server": "head", "Jobs": found})


def _attributes(state: str) -> dict[str, object]:
    if state == "waiting":
        return {"job_state": "Q", "comment": "Not Running: Insufficient amount of resource"}
    if state == "running":
        return {"job_state": "R"}
    return {"job_state": "F", "Exit_status": int(state.split()[1])}


dialect = Pbs()
