"""The energy of a forecast: E = P t.

P by meters: of the runs on the same layout (``measured``), its interval and that of the time combined as independent errors. Without meters: P of
nodes by the machine's facts, an estimate, whose interval is the least power over the shortest time to the largest over the longest.
"""

from collections.abc import Sequence

from hakaru.facts.forecasts import Span
from hakaru.facts.forecasts.energy import Amount, EnergyForecast, nothing
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record
from hakaru.facts.work import Work
from hakaru.foretell.energy import facts as by_facts
from hakaru.foretell.energy.measured import Watts, product, watts


def foretell(
    records: Sequence[Record], wanted: Work, time_s: Span, machine: Machine | None
) -> EnergyForecast:
    """Of one repetition of ``wanted`` that takes ``time_s``."""
    own = [one for one in records if (one.ranks, one.threads) == (wanted.ranks, wanted.threads)]
    found = watts(own, wanted.size)
    if isinstance(found, Watts):
        return EnergyForecast(
            joules=product(found.amount, time_s),
            watts=found.amount,
            kind="measured",
            scope=found.scope,
            source=found.source,
        )
    nodes = max((record.nodes for record in own), default=1)
    return (estimate(machine, nodes, time_s) if machine else None) or nothing(found)


def estimate(machine: Machine, nodes: int, time_s: Span) -> EnergyForecast | None:
    """None where the machine does not say the power of a node."""
    known = by_facts.node_watts(machine)
    told = by_facts.of(machine, nodes, time_s)
    if known is None or told is None:
        return None
    joules, power = told.joules, known.scaled(nodes)
    return EnergyForecast(
        joules=Amount(value=joules.value, low=joules.low, high=joules.high),
        watts=Amount(value=power.value, low=power.low, high=power.high),
        kind="estimate",
        scope="node" if nodes == 1 else f"{nodes} nodes",
        source=f"{told.fact} of {machine.name}",
    )
