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


def node_watts(machine: Machine) -> Span | None:
    """What a node takes that runs a program, in W: the middle of the facts, and all of their intervals."""
    path = fact_of(machine)
    return values(machine, path) if path else None


def fact_of(machine: Machine) -> str | None:
    return next((path for path in FACTS if machine.facts(path)), None)


def values(machine: Machine, path: str) -> Span:
    """Of all facts at a path, where there is one."""
    facts = sorted(machine.facts(path), key=lambda fact: fact.value)
    lows = [fact.low if fact.has_interval else fact.value for fact in facts]
    highs = [fact.high if fact.has_interval else fact.value for fact in facts]
    return Span(value=facts[len(facts) // 2].value, low=min(lows), high=max(highs))


def of(machine: Machine, nodes: int, time_s: Span) -> Energy | None:
    """None where the machine does not say the power of a node."""
    path, watts = fact_of(machine), node_watts(machine)
    if path is None or watts is None:
        return None
    joules = Span(
        value=nodes * watts.value * time_s.value,
        low=nodes * watts.low * time_s.low,
        high=nodes * watts.high * time_s.high,
    )
    return Energy(joules, path)
