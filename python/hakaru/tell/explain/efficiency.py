"""POP efficiencies and speed-up of one layout against the smallest layout of the same problem.

Load balance and communication are those of ``facts/efficiency.py``; besides them

    parallel efficiency      = load balance x communication efficiency
    computation scaling      = (sum of useful core time on the smallest layout) / (the same here)
    global efficiency        = parallel efficiency x computation scaling

Useful core time is threads x sum_r C_r, so time that threads lose inside a rank appears in computation
scaling.
"""

import math
from dataclasses import dataclass

from hakaru.base.statistics import Interval
from hakaru.facts import efficiency as pop
from hakaru.facts.records.groups import Group
from hakaru.facts.records.record import Repetition

NOT_SEPARATED = "not yet separated (serialisation and transfer need a replay)"


@dataclass(frozen=True)
class Efficiency:
    """POP factors as fractions; ratios of medians, so that the products hold exactly."""

    load_balance: float
    communication: float
    parallel: float
    computation_scaling: float
    overall: float
    serialisation: str = NOT_SEPARATED
    transfer: str = NOT_SEPARATED


@dataclass(frozen=True)
class Scaling:
    """Speed-up over the reference layout and efficiency = speed-up x reference cores / cores, with 95 %
    intervals.

    The interval of a ratio of two medians is the quotient of their intervals, which is never too narrow.
    """

    reference: str
    reference_cores: int
    speed_up: Interval
    efficiency: Interval
    ideal_speed_up: float


def useful_times(group: Group) -> tuple[float, float, float]:
    """Mean and maximum over ranks of the computation time, and the runtime, in s: medians over launches."""
    kinds = group.phase_kinds

    def compute(repetition: Repetition) -> list[float]:
        return repetition.kind_times(kinds, "compute")

    mean_s = group.middle(lambda repetition: sum(compute(repetition)) / group.ranks)
    return mean_s, group.middle(lambda r: max(compute(r))), group.wall().value


def efficiency(group: Group, reference: Group) -> Efficiency:
    mean_s, maximum_s, wall_s = useful_times(group)
    reference_mean_s = useful_times(reference)[0]
    # A program that computes nothing has lost nothing.
    balance, communication = pop.load_balance(mean_s, maximum_s), pop.communication(maximum_s, wall_s)
    load_balance = 1.0 if balance is None else balance
    communication = 1.0 if communication is None else communication
    core_time_s = mean_s * group.cores
    computation_scaling = reference_mean_s * reference.cores / core_time_s if core_time_s > 0.0 else 1.0
    parallel = load_balance * communication
    return Efficiency(
        load_balance, communication, parallel, computation_scaling, parallel * computation_scaling
    )


def scaling(group: Group, reference: Group) -> Scaling:
    wall, base = group.wall(), reference.wall()
    if group is reference:
        speed_up = Interval(1.0, 1.0, 1.0, wall.count, wall.coverage)
    else:
        speed_up = Interval(
            _ratio(base.value, wall.value),
            _ratio(base.low, wall.high),
            _ratio(base.high, wall.low),
            min(wall.count, base.count),
            wall.coverage * base.coverage,
        )
    ideal = group.cores / reference.cores
    scaled = Interval(
        speed_up.value / ideal, speed_up.low / ideal, speed_up.high / ideal, speed_up.count, speed_up.coverage
    )
    return Scaling(reference.name, reference.cores, speed_up, scaled, ideal)


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator > 0.0 else math.inf
