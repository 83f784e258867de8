"""A sweep of sixteen replays by one worker and by two: how much sooner the second is there. Its start and its base replay are left out."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from hakaru.facts.machines import Machine
from hakaru.facts.machines.files import known_machines
from hakaru.foretell.replay import ranges, what_if
from hakaru.foretell.replay import source as sources
from hakaru.foretell.replay.engine import engine
from hakaru.foretell.replay.question import Choices, Question
from hakaru.own.bench import interleave, row

TARGETS = ("hakaru_replay", "turbulence")
ROUNDS = 7
BOUND = 1.8
RANKS, MACHINE = 64, "fat-tree-100g"
PROGRAM = f"{sources.PREFIX}turbulence,n=256,steps=2"
SWEEP = "network.node.latency=0.5x..8x:16"


def run() -> list[dict]:
    machine = Machine.load(known_machines()[MACHINE])
    found: list[list[float | None]] = []
    with tempfile.TemporaryDirectory() as folder:
        question = Question(sources.find(PROGRAM, RANKS, 1, Path(folder)), Choices(), engine(None))
        sweep = ranges.sweep(machine, SWEEP)

        def by(workers: int) -> Callable[[], None]:
            def once() -> None:
                _, finished = what_if.grid(machine, [sweep], question.time_s, workers, what_if.Progress())
                found.append(finished.times_s)

            return once

        taken = interleave({"one": by(1), "two": by(2)}, ROUNDS)
    if any(times != found[0] for times in found):
        raise ValueError("a sweep's answers depend on the number of workers")
    figure = f"sixteen replays of turbulence on {RANKS} ranks"
    return [
        row("sweep", f"{figure} by one worker", taken.interval("one"), "s"),
        row("sweep", "by one worker over by two", taken.ratio("one", "two"), "1", BOUND),
    ]
