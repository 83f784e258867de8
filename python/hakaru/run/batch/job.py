"""A job as hakaru asks for it, in nobody's dialect, and the part of its script that all batch systems share."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Job:
    """``tasks``: how many equal jobs it is (an array when there are several), each with its number from 0 in HAKARU_TASK; ``at_once`` of them
    at most (0: as many as there is room for). ``after``: ids of jobs that must have ended before. ``time_s``: after which it is ended.
    ``words``: what it runs. ``variables``: set for that. ``folder``: where it writes what it prints."""

    name: str
    folder: Path
    words: tuple[str, ...]
    nodes: int = 1
    ranks_of_node: int = 1
    threads: int = 1
    time_s: float = 3600.0
    tasks: int = 1
    at_once: int = 0
    after: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def cores_of_node(self) -> int:
        return self.ranks_of_node * self.threads


def clock(seconds: float) -> str:
    """``01:00:00``, whole seconds, never less."""
    whole = int(-(-seconds // 1))
    return f"{whole // 3600:02d}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def script(
    job: Job,
    directives: Sequence[str],
    numbers: Mapping[str, str],
    modules: Sequence[str] = (),
    before: Sequence[str] = (),
) -> str:
    """A bash script. ``directives``: the batch system's comment lines. ``numbers``: HAKARU_JOB and HAKARU_TASK as expressions of its
    variables. ``before``: lines in front of all others."""
    lines = ["#!/bin/bash", *directives, "", *before]
    lines += [f"cd {shlex.quote(str(job.folder))} || exit 4"]
    lines += [f"module load {shlex.quote(module)} || exit 4" for module in modules]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in job.variables]
    lines += [f'export {name}="{value}"' for name, value in numbers.items()]
    lines += ['exec >> "out-task-$HAKARU_TASK.txt" 2>&1']  # not every batch system has a file for each task
    return "\n".join([*lines, f"exec {shlex.join(job.words)}", ""])
