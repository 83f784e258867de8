"""What nodes take, from the mix or from the machine's facts, and the energy of a mix."""

from dataclasses import dataclass

from hakaru.facts.forecasts import Span
from hakaru.facts.machines import Machine
from hakaru.foretell.energy.facts import fact_of, values
from hakaru.foretell.mix.file import Power, span

IDLE = "power.node_idle"
OFF = "; idle nodes are counted as switched off"


@dataclass(frozen=True)
class NodePower:
    """In W. ``source``: who says so."""

    busy: Span
    idle: Span
    source: str

    @property
    def exact(self) -> bool:
        return self.busy.low == self.busy.high and self.idle.low == self.idle.high

    def joules(self, busy_node_s: float, idle_node_s: float, share: float) -> float:
        """``share`` 0 to 1: where in the intervals."""
        return _within(self.busy, share) * busy_node_s + _within(self.idle, share) * idle_node_s


def node_power(told: Power | None, machine: Machine | None) -> NodePower | None:
    """None where nobody says it. A machine that says nothing of idle nodes is taken to switch them off, which is said."""
    if told is not None:
        return NodePower(span(told.busy_w), span(told.idle_w), "the mix file")
    if machine is None:
        return None
    path = fact_of(machine)
    if path is None:
        return None
    idle = values(machine, IDLE) if machine.facts(IDLE) else None
    said = f"{machine.name}: {path}" + (f" and {IDLE}" if idle else OFF)
    return NodePower(values(machine, path), idle or span(0.0), said)


def _within(found: Span, share: float) -> float:
    return found.low + share * (found.high - found.low)
