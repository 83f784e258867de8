"""A queue in a folder: what all stand-ins share. ``python batch_queue.py DIALECT COMMAND WORDS...`` is one of their commands.

Each task is a file ``ID.TASK`` with its state; a worker process a job runs its tasks in their order. ``refuse`` and ``silent`` in the folder
make it refuse jobs and answer nothing; ``hold`` keeps what is submitted waiting."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(os.environ.get("HAKARU_STAND_IN", "."))
LIMIT_S = 60.0


class Dialect:
    """What the manuals say of one batch system: its directives, its messages, its tables."""

    prefix = "#PBS"
    job, task = "PBS_JOBID", "PBS_ARRAY_INDEX"
    refusal = "qsub: Job violates queue and/or server resource limits"
    unknown = "qstat: Unknown Job Id {id}"
    required: tuple[str, ...] = ()  # patterns that the directives of every script have to match

    def tasks(self, directives: str, words: list[str]) -> int:
        raise NotImplementedError

    def name(self, directives: str) -> str:
        return re.search(r"^ *-N (\S+)$", directives, re.MULTILINE)[1]

    def submitted(self, number: int, tasks: int) -> str:
        raise NotImplementedError

    def variables(self, number: int, task: int, tasks: int) -> dict[str, str]:
        raise NotImplementedError

    def told(self, wanted: list[str], jobs: list[dict]) -> tuple[int, str]:
        raise NotImplementedError

    def accounted(self, wanted: list[str], jobs: list[dict]) -> tuple[int, str]:
        """What is asked with ``--data``."""
        raise NotImplementedError


def put(path: Path, text: str) -> None:
    """At once: who asks for states meanwhile reads the old text or the new one."""
    made = path.with_name(f".{path.name}.{os.getpid()}")
    made.write_text(text)
    made.replace(path)


def number_of(word: str) -> int:
    return int(re.match(r"\d+", word)[0])


def directives_of(text: str, prefix: str) -> str:
    return "\n".join(line.removeprefix(prefix) for line in text.splitlines() if line.startswith(prefix + " "))


def submit(dialect: Dialect, words: list[str]) -> int:
    path = Path(words[-1])
    directives = directives_of(path.read_text(), dialect.prefix)
    wrong = [one for one in dialect.required if not re.search(one, directives, re.MULTILINE)]
    if wrong or (FOLDER / "refuse").exists():
        print(f"{dialect.refusal} {' '.join(wrong)}", file=sys.stderr)
        return 1
    number = 1 + max((number_of(one.name) for one in FOLDER.glob("*.job")), default=100)
    tasks = dialect.tasks(directives, words)
    job = {"number": number, "name": dialect.name(directives), "tasks": tasks, "script": str(path.resolve())}
    for task in range(tasks):
        put(FOLDER / f"{number}.{task}", "waiting")
    put(FOLDER / f"{number}.job", json.dumps(job))
    worker = [sys.executable, __file__, type(dialect).__module__, "work", str(number)]
    subprocess.Popen(worker, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    print(dialect.submitted(number, tasks))
    return 0


def work(dialect: Dialect, number: int) -> int:
    job = json.loads((FOLDER / f"{number}.job").read_text())
    for task in range(job["tasks"]):
        state, limit = FOLDER / f"{number}.{task}", time.monotonic() + LIMIT_S
        while (FOLDER / "hold").exists() and state.read_text() == "waiting" and time.monotonic() < limit:
            time.sleep(0.02)
        if state.read_text() != "waiting":
            continue
        put(state, "running")
        own = os.environ | dialect.variables(number, task, job["tasks"])
        with open(FOLDER / f"{number}.{task}.out", "w") as out:
            code = subprocess.run(["bash", job["script"]], env=own, stdout=out, stderr=out).returncode
        put(state, f"ended {code}")
    return 0


def status(dialect: Dialect, words: list[str]) -> int:
    if (FOLDER / "silent").exists():
        print("cannot connect to server (errno=111)", file=sys.stderr)
        return 255
    jobs = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.job"))]
    for job in jobs:
        job["states"] = [(FOLDER / f"{job['number']}.{task}").read_text() for task in range(job["tasks"])]
    wanted = [word for word in words if word[0].isdigit()]
    code, text = (dialect.accounted if "--data" in words else dialect.told)(wanted, jobs)
    print(text)
    for id in wanted:
        if number_of(id) not in [job["number"] for job in jobs]:
            print(dialect.unknown.format(id=id), file=sys.stderr)
            code = 153
    return code


def cancel(words: list[str]) -> int:
    for path in FOLDER.glob(f"{number_of(words[-1])}.[0-9]*"):
        if path.suffix != ".out" and path.read_text() == "waiting":
            put(path, "ended 271")
    return 0


def main() -> int:
    name, command, *words = sys.argv[1:]
    dialect = __import__(name).dialect
    if command == "work":
        return work(dialect, int(words[0]))
    if command.endswith("sub"):
        return submit(dialect, words)
    return cancel(words) if command.endswith("del") else status(dialect, words)


if __name__ == "__main__":
    sys.exit(main())
