"""Energy of a run, where a machine says what a node takes."""

from dataclasses import dataclass

from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine

# Of a program, else of LINPACK, which takes more than most programs.
FACTS = ("power.node_application", "power.node_hpl")


@dataclass(frozen=True)
class Energy:
    """In J. ``fact`` names the power that it rests on; several values of one fact widen the interval."""

    joules: Span
    fact: str


def of(machine: Machine, nodes: int, time_s: Span) -> Energy | None:
    """None where the machine does not say the power of a node."""
    for path in FACTS:
        watts = sorted(fact.value for fact in machine.facts(path))
        if watts:
            middle = watts[len(watts) // 2]
            joules = Span(
                value=nodes * middle * time_s.value,
                low=nodes * watts[0] * time_s.low,
                high=nodes * watts[-1] * time_s.high,
            )
            return Energy(joules, path)
    return None
