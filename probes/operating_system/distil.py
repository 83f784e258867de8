"""Facts about the operating system from records of the probe ``operating_system``; definitions in its README."""

import re
from collections import defaultdict
from statistics import median
from typing import Any

from hakaru.facts.records import Record

ARITHMETIC = ("integer", "int64", "float", "double")
SWITCH = re.compile(r"(\d+)p/(\d+)K ctxsw")
LOADS = re.compile(r"(\d+) loads?")
CYCLE = ("integer", "intgr add")  # a chain of additions: one a cycle on every processor of today


def about(group: str, item: str) -> dict[str, Any]:
    """What the fact of an item is about, beside its place in the tree."""
    if found := SWITCH.fullmatch(item):
        return {"processes": int(found[1]), "bytes": 1024 * int(found[2])}
    return {"item": item}


def place(group: str) -> str:
    return "arithmetic" if group in ARITHMETIC else group.replace("-", "_")


def distil(records: list[Record]) -> dict:
    """``operating_system.*`` in s, bandwidths in B/s, by ``item`` as LMbench's summary calls it, in its order.

    ``context_switch`` by ``processes`` and ``bytes`` of each; ``clock`` in Hz, of dependent additions;
    ``memory_parallelism``: how many times faster loads are when many chains are followed at once. Records whose processes were
    bound say so by ``placement`` and are left out where others are.
    """
    from hakaru.facts.machines import fact

    records = [record for record in records if record.ran]
    records = [record for record in records if record.parameters["placement"] == "free"] or records
    samples: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    sources: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for record in records:
        for row in record.rows("items"):
            key = (row["group"], row["item"], row["bytes"])
            samples[key].append(row["seconds"])
            if record.id not in sources[key]:
                sources[key].append(record.id)
    tree: dict[str, Any] = defaultdict(list)
    loads: dict[int, list[float]] = {}
    for (group, item, size), seconds in samples.items():
        ids = sources[group, item, size]
        if found := LOADS.fullmatch(item):
            loads[int(found[1])] = seconds
            continue
        if size:
            tree[place(group)].append(fact([size / one for one in seconds], "B/s", ids, **about(group, item)))
        else:
            tree[place(group)].append(fact(seconds, "s", ids, **about(group, item)))
        if (group, item) == CYCLE:
            tree["clock"] = fact([1.0 / one for one in seconds], "Hz", ids)
    if loads and 1 in loads:
        ids = list(dict.fromkeys(name for key in sources for name in sources[key]))
        tree["memory_parallelism"] = parallelism(loads, ids)
    return {"operating_system": dict(tree)} if tree else {}


def parallelism(loads: dict[int, list[float]], ids: list[str]) -> dict[str, Any]:
    """Time of a load by itself over that of the best number of chains, a sample each."""
    from hakaru.facts.machines import fact

    chains = min(loads, key=lambda number: median(loads[number]))
    pairs = zip(loads[1], loads[chains], strict=False)
    return fact([alone / together for alone, together in pairs], "1", ids, chains=chains)
