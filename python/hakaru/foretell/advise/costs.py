"""What a layout costs beside its time: node-hours, and joules where the power of its nodes is known; and how two layouts compare by that.

A node's power is that which meters showed in runs of the program on as many cores of a node, here; else the machine file's, an estimate, the
same for every layout. All layouts of a ranking have it by the same way.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hakaru.base.errors import UserError
from hakaru.facts.forecasts import Span
from hakaru.facts.forecasts.energy import Amount, EnergyForecast
from hakaru.facts.machines import Machine
from hakaru.facts.records import Record
from hakaru.foretell.advise.by import JOULES, NODE_HOURS, TIME
from hakaru.foretell.advise.predict import Predicted
from hakaru.foretell.energy import facts
from hakaru.foretell.energy.measured import Watts, product, watts

HOUR_S = 3600.0
Ratio = tuple[float, float, float]  # low, value, high
TODO = "run the program here with a meter (docs/how-to/power.md), or name a machine whose file says the power of a node with --on"


@dataclass(frozen=True)
class Powers:
    """``of_cores``: W of a node by how many of its cores compute. ``why_not``: why there are none."""

    of_cores: dict[int, Watts]
    of_node: Span | None
    source: str = ""
    why_not: str = ""


def powers(records: Sequence[Record], size: float | None, machine: Machine, here: bool) -> Powers:
    """``records``: runs of the program, ``here``: whether they were made on this machine; ``size``: of the problem."""
    groups: dict[int, list[Record]] = {}
    for record in records if here else ():
        if record.nodes == 1:
            groups.setdefault(record.ranks * record.threads, []).append(record)
    found = {cores: watts(own, size) for cores, own in groups.items()}
    known = {cores: one for cores, one in found.items() if isinstance(one, Watts)}
    reasons = [one for one in found.values() if isinstance(one, str)]
    fact = facts.fact_of(machine)
    return Powers(
        known,
        facts.node_watts(machine),
        f"{fact} of {machine.name}" if fact else "",
        "; ".join([*reasons[:1], f"{machine.name} does not say the power of a node"]),
    )


def with_energies(predicted: Sequence[Predicted], found: Powers) -> list[Predicted]:
    """By meters where they tell of every layout, or no fact tells of any; else by the fact."""
    cores = [one.candidate.ranks_per_node * one.candidate.threads for one in predicted]
    by_meters = found.of_cores and (found.of_node is None or all(count in found.of_cores for count in cores))
    if by_meters:
        return [
            replace(one, energy=_measured(one, found.of_cores[count])) if count in found.of_cores else one
            for one, count in zip(predicted, cores, strict=True)
        ]
    if found.of_node is None:
        return list(predicted)
    return [replace(one, energy=_estimate(one, found.of_node, found.source)) for one in predicted]


def _measured(one: Predicted, found: Watts) -> EnergyForecast:
    nodes = one.candidate.nodes
    power = Amount(
        value=nodes * found.amount.value, low=nodes * found.amount.low, high=nodes * found.amount.high
    )
    return EnergyForecast(
        joules=product(power, _span(one)),
        watts=power,
        kind="measured",
        scope=found.scope if nodes == 1 else f"{found.scope} of {nodes} nodes",
        source=found.source,
    )


def _estimate(one: Predicted, node: Span, source: str) -> EnergyForecast:
    nodes, time = one.candidate.nodes, _span(one)
    power = Amount(value=nodes * node.value, low=nodes * node.low, high=nodes * node.high)
    joules = Amount(value=power.value * time.value, low=power.low * time.low, high=power.high * time.high)
    scope = "node" if nodes == 1 else f"{nodes} nodes"
    return EnergyForecast(joules=joules, watts=power, kind="estimate", scope=scope, source=source)


def _span(one: Predicted) -> Span:
    return Span(value=one.time_s, low=one.low_s, high=one.high_s)


def node_hours(one: Predicted) -> Amount:
    per_s = one.candidate.nodes / HOUR_S
    return Amount(value=one.time_s * per_s, low=one.low_s * per_s, high=one.high_s * per_s)


def cost(one: Predicted, by: str) -> float:
    if by == JOULES:
        return one.energy.joules.value if one.energy else math.inf
    return node_hours(one).value if by == NODE_HOURS else one.time_s


def times_as_much(one: Predicted, best: Predicted, by: str, times: Ratio) -> Ratio:
    """What ``one`` costs over what ``best`` costs, where it takes ``times`` as long. A fact of power is shared, and meters err apart unless
    both rest on the same launches."""
    low, value, high = times
    if by == TIME:
        return times
    if by == NODE_HOURS:
        factor = one.candidate.nodes / best.candidate.nodes
        return low * factor, value * factor, high * factor
    mine, theirs = one.energy.watts, best.energy.watts
    factor = mine.value / theirs.value
    of_one, of_best = mine.value / one.candidate.nodes, theirs.value / best.candidate.nodes
    same = one.energy.kind == "estimate" or math.isclose(of_one, of_best)
    down = up = 1.0
    if not same:
        down = math.exp(-math.hypot(math.log(mine.value / mine.low), math.log(theirs.high / theirs.value)))
        up = math.exp(math.hypot(math.log(mine.high / mine.value), math.log(theirs.value / theirs.low)))
    return low * factor * down, value * factor, high * factor * up


def comparable(predicted: Sequence[Predicted], by: str, why_not: str) -> tuple[list[Predicted], list[str]]:
    """Those that have the cost, and in words those that have not. Raises UserError where none has."""
    if by != JOULES:
        return list(predicted), []
    known = [one for one in predicted if one.energy]
    if not known:
        raise UserError("layouts cannot be ranked by joules", why_not, TODO)
    lost = [one.candidate.name for one in predicted if not one.energy]
    return known, [f"{name}: no run on as many cores of a node had a meter" for name in lost]
