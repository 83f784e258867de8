"""Measured exchanges with neighbours, as the probe ``messages`` tells them: over graphs, and on a grid of two partners."""

from collections.abc import Iterable

import msgspec

from hakaru.facts.machines import Machine
from hakaru.facts.machines.fact import Fact
from hakaru.foretell.replay.documents.network import MeasuredPoint, Price
from hakaru.foretell.replay.levels import Told

GRID_PARTNERS = 2  # of the grid that is measured: a ring


def neighbour_exchange(machine: Machine, level: str, told: Told) -> Price | None:
    """Their price by number of partners, measured with the fewest ranks; None where no graph was measured."""
    name = f"network.{level}.neighbourhood"
    if not (graphs := machine.facts(name, topology=None)):
        return None
    ranks = min(fact.keys["ranks"] for fact in graphs)
    graphs = tuple(fact for fact in graphs if fact.about(ranks=ranks))
    grids = machine.facts(name, topology="grid", ranks=ranks, neighbours=GRID_PARTNERS)
    table = _points(graphs)
    on_grids = _on_grids(table, _points(grids))
    for fact in (*graphs, *(grids if on_grids else ())):
        told.fact(name, fact)
    told.assume(f"exchanges over a graph take {name} once their partners are there")
    told.assume(
        f"exchanges on a grid take longer than over a graph by as much as with {GRID_PARTNERS} partners, in proportion"
        if on_grids
        else "exchanges on a grid take what those over a graph take"
    )
    return Price(table=table, grid_table=on_grids or None)


def _points(facts: Iterable[Fact]) -> tuple[MeasuredPoint, ...]:
    return tuple(
        MeasuredPoint(ranks=fact.keys["neighbours"], bytes=fact.keys["bytes"], value_s=fact.value)
        for fact in facts
    )


def _on_grids(
    graphs: tuple[MeasuredPoint, ...], grids: tuple[MeasuredPoint, ...]
) -> tuple[MeasuredPoint, ...]:
    """T_grid(n, s) = T_graph(n, s) T_grid(2, s) / T_graph(2, s); the ratio is that of the next smaller size where s was not measured of both."""
    over_graph = {one.bytes: one.value_s for one in graphs if one.ranks == GRID_PARTNERS and one.value_s > 0}
    ratios = {one.bytes: one.value_s / over_graph[one.bytes] for one in grids if one.bytes in over_graph}
    if not ratios:
        return ()

    def ratio(size: float) -> float:
        return ratios[max((one for one in ratios if one <= size), default=min(ratios))]

    return tuple(msgspec.structs.replace(one, value_s=one.value_s * ratio(one.bytes)) for one in graphs)
