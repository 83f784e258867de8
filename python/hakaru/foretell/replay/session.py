"""From what a person asked to the stored answers: one replay, a sweep, a sensitivity."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hakaru.facts.machines import Machine
from hakaru.facts.records import new_id
from hakaru.facts.records.provenance import now_text
from hakaru.foretell.replay import what_if
from hakaru.foretell.replay.document import read_result
from hakaru.foretell.replay.outcome import SCHEMA, efficiency, outcome
from hakaru.foretell.replay.question import Question
from hakaru.foretell.replay.ranges import sweep as parse_sweep


def replay(question: Question, machine: Machine, told: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The outcome on this machine with POP's efficiencies, which take a second replay on an ideal network."""
    asked, result = question.ask(machine)
    totals = read_result(result)
    answer = outcome(totals, question.source, machine, asked)
    answer["efficiency"] = efficiency(totals, question.ideal_s(asked))
    answer["set"] = list(told)
    return answer


def sweep(
    question: Question, machine: Machine, base: dict[str, Any], words: Sequence[str], jobs: int | None
) -> dict[str, Any]:
    """The grid of one or two facts beside the machine as it is; ``complete`` is False after Ctrl-C."""
    sweeps = [parse_sweep(machine, word) for word in words]
    found = what_if.grid(machine, sweeps, question.time_s, jobs, shown_progress())
    for point in found["points"]:
        took = point["time_s"]
        point["speed"] = base["time_s"] / took if took else None
    ideal_s = base["efficiency"]["ideal_time_s"]
    bound = base["time_s"] / ideal_s if ideal_s and not _sweeps_computing(sweeps) else None
    return {
        "schema": SCHEMA,
        "kind": "sweep",
        "id": new_id("sweep"),
        "created": now_text(),
        "base": base,
        "bound": bound,
        **found,
    }


def _sweeps_computing(sweeps) -> bool:
    """Computing that changes moves the bound as well."""
    return any(not one.path.startswith("network.") for one in sweeps)


def sensitivity(
    question: Question, machine: Machine, base: dict[str, Any], jobs: int | None
) -> dict[str, Any]:
    """Which fact, costing a tenth less time, buys most."""
    paths = what_if.candidates(base["facts"], machine)
    found = what_if.sensitivity(machine, paths, base["time_s"], question.time_s, jobs, shown_progress())
    return {
        "schema": SCHEMA,
        "kind": "sensitivity",
        "id": new_id("sensitivity"),
        "created": now_text(),
        "base": base,
        **found,
    }


def shown_progress() -> what_if.Progress:
    """Counts replays on standard error, in place on a terminal, else at each tenth."""
    terminal = sys.stderr.isatty()

    def step(progress: what_if.Progress) -> None:
        last = progress.done == progress.total
        if terminal:
            print(
                f"\rreplay {progress.done} of {progress.total}",
                end="\n" if last else "",
                file=sys.stderr,
                flush=True,
            )
        elif last or progress.done % max(1, progress.total // 10) == 0:
            print(f"replay {progress.done} of {progress.total}", file=sys.stderr, flush=True)

    return what_if.Progress(step=step)


def page_path(results: Path, sweep_id: str, asked: Path | None) -> Path:
    return asked or results / "replays" / f"{sweep_id}.html"
