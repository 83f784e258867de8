"""What collectives of two cores take beyond the exchanges that they are made of."""

from collections import defaultdict
from math import inf

from hakaru.facts.machines import Machine
from hakaru.foretell.replay.levels import Told, entries


def beyond_exchanges(
    machine: Machine,
    operation: str,
    parts: int,
    told: Told,
    least_bytes: int = 1,
    most_bytes: float = inf,
    apart: bool = False,
) -> list[tuple[int, float]]:
    """(bytes of a part, s for each of them), ascending: what ``operation`` of so many bytes takes beyond as many exchanges as it has parts,
    where the probe is sure that it takes more than exchanges do in the median: of few launches their interval has the slowest at its end,
    by which nothing short would be shown. ``apart``: what it does beside keeps its exchanges apart from those of the call before."""
    exchanges = {fact.keys["bytes"]: fact for fact in entries(machine, "core", "exchange")}
    crowded_s: dict[int, float] = defaultdict(float)
    for fact in entries(machine, "core", "crowding") if apart else ():
        crowded_s[fact.keys["bytes"]] += max(fact.sure_value, 0.0)
    for fact in entries(machine, "core", "answering") if apart else ():
        crowded_s[fact.keys["bytes"]] += fact.sure_value  # below zero, too: what a call hides of the next
    found = []
    for fact in entries(machine, "core", operation):
        size = fact.keys["bytes"] // parts
        exchange = exchanges.get(size)
        if fact.keys["ranks"] != 2 or exchange is None or not least_bytes <= fact.keys["bytes"] <= most_bytes:
            continue
        each_s = exchange.value - crowded_s[size]
        if fact.lowest <= parts * each_s:
            continue
        told.fact(f"network.core.{operation}", fact)
        told.fact("network.core.exchange", exchange)
        found.append((size, (fact.value - parts * each_s) / size))
    return sorted(found)
