"""Finds again what a machine file says was fitted to a publication of layouts: each fact from the one number that its source names.

Speeds at 256^3 and times of 100 steps at 32^3 determine, one after the other: misses (means), vector_half_length and vector_rate
(two equations), the loss of threads, cost of a put in a node and of a fence (linear in both), cost of a put between nodes (bisection).
"""

import statistics
from collections.abc import Callable

from hakaru.facts.machines import Machine
from hakaru.studies.analyses import Context
from hakaru.studies.study import Study

from .layouts import Replayed, replay, work_of
from .settings import Settings
from .vector_machine import Layout, VectorMachine

SMALL, MIDDLE = 32, 256
CLOSE = 1e-4  # relative
MOST_STEPS = 20


class Fit:
    """The machine as it is fitted so far; ``found`` are values by the path of their fact."""

    def __init__(self, study: Study[Settings], context: Context, machine: Machine) -> None:
        self.study, self.context = study, context
        self.machine = machine
        self.found: dict[str, float] = {}

    def set(self, path: str, value: float) -> None:
        self.found[path] = value
        self.machine = self.machine.with_fact(path, value)

    def replay(self, layout: Layout) -> Replayed:
        return replay(self.study, self.machine, layout, self.context)

    def part(self, model: str, processors: int, part: str) -> float:
        """Published time of a step at 32^3."""
        for row in self.study.published.table("microtask-overhead").rows:
            if row["model"] == model and row["processors"] == processors:
                return row[part] / self.study.settings.steps
        raise LookupError(part)

    def step_s(self, model: str, nodes: int) -> float:
        """Published time of a step at 256^3."""
        for row in self.study.published.table("sustained").rows:
            if row["model"] == model and row["nodes"] == nodes:
                return work_of(self.study).flops(MIDDLE) / (1e9 * row["speed"])
        raise LookupError(model)


def fit(study: Study[Settings], context: Context, machine: Machine) -> dict[str, float]:
    """Values of the fitted facts by path."""
    one = Fit(study, context, machine)
    for model in ("flat", "hybrid"):
        parts = [one.part(model, processors, "cache_miss") for processors in (2, 4, 8)]
        one.set(f"memory.miss_{model}", statistics.mean(parts))
    _vector(one)
    _loss(one)
    _puts_inside(one)
    _puts_between(one)
    return one.found


def _vector(one: Fit) -> None:
    """r v / (v + h) is the rate at v = 32 and at v = 256."""
    work, single = work_of(one.study), Layout(MIDDLE, 1, 1, False)
    slow = work.flops(SMALL) / (2.0 * one.part("flat", 2, "arithmetic"))
    step = VectorMachine.of(one.machine).step(work, single)
    fast = work.flops(MIDDLE) / (one.step_s("one processor", 1) - step.misses_s - step.copies_s)
    half = SMALL * MIDDLE * (fast - slow) / (slow * MIDDLE - fast * SMALL)
    one.set("compute.vector_half_length", half)
    one.set("compute.vector_rate", fast * (MIDDLE + half) / MIDDLE)


def _loss(one: Fit) -> None:
    layout = Layout(MIDDLE, 1, 8, True)
    one.set("threads.loss", 0.0)
    without = one.replay(layout)
    arithmetic_s = one.replay(Layout(MIDDLE, 1, 8, False)).computed.arithmetic_s
    one.set("threads.loss", (one.step_s("hybrid", 1) - without.time_s) / arithmetic_s)


def _puts_inside(one: Fit) -> None:
    """Transposition = a + b put + c fence for 2 and for 8 processes: two equations, their coefficients from three replays each."""
    put, fence = "network.core.gap", "network.collectives.barrier.time"
    tries = ((1e-6, 1e-6), (2e-6, 1e-6), (1e-6, 2e-6))
    seen = []
    for first, second in tries:
        one.set(put, first)
        one.set(fence, second)
        seen.append([one.replay(Layout(SMALL, 1, ranks, False)).transposition_s for ranks in (2, 8)])
    lacking = [one.part("flat", ranks, "transpose") - seen[0][i] for i, ranks in enumerate((2, 8))]
    (b2, b8), (c2, c8) = ([(seen[k][i] - seen[0][i]) / 1e-6 for i in (0, 1)] for k in (1, 2))
    determinant = b2 * c8 - b8 * c2
    one.set(put, 1e-6 + (lacking[0] * c8 - lacking[1] * c2) / determinant)
    one.set(fence, 1e-6 + (b2 * lacking[1] - b8 * lacking[0]) / determinant)


def _puts_between(one: Fit) -> None:
    wanted, layout = one.step_s("flat", 16), Layout(MIDDLE, 16, 8, False)

    def time_s(start_s: float) -> float:
        one.set("network.node.put_start", start_s)
        return one.replay(layout).time_s

    one.set("network.node.put_start", rising(time_s, wanted, 0.0, 50e-6))


def rising(function: Callable[[float], float], wanted: float, low: float, high: float) -> float:
    """Where a rising function is ``wanted`` between two bounds."""
    for _ in range(MOST_STEPS):
        middle = 0.5 * (low + high)
        value = function(middle)
        if abs(value / wanted - 1.0) < CLOSE:
            return middle
        low, high = (middle, high) if value < wanted else (low, middle)
    return 0.5 * (low + high)
