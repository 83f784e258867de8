"""What going over memory takes longer after waiting for another host."""

from collections import defaultdict
from statistics import median

from hakaru.facts.machines.by_launch import over_launches
from hakaru.facts.records import Record


def refilling_facts(launches: list[tuple[Record, int]], record_ids: list[str]) -> list[dict]:
    """By the memory and how long ranks had waited since they went over it: the time after that less the time soon after. ``sweep_s``: the
    latter, of all waits."""
    longer: dict[tuple[int, float], list[list[float]]] = defaultdict(lambda: [[] for _ in launches])
    warm_s, waited_s = defaultdict(list), defaultdict(list)
    for index, (record, pair) in enumerate(launches):
        for row in record.rows("refill"):
            if row["pair"] != pair:
                continue
            longer[row["memory_bytes"], row["about_s"]][index].append(row["seconds"] - row["warm_s"])
            warm_s[row["memory_bytes"]].append(row["warm_s"])
            waited_s[row["about_s"]].append(row["waited_s"])
    return [
        over_launches(
            longer[memory_bytes, about_s],
            "s",
            record_ids,
            memory_bytes=memory_bytes,
            waited_s=median(waited_s[about_s]),
            sweep_s=median(warm_s[memory_bytes]),
        )
        for memory_bytes, about_s in sorted(longer)
        if not about_s or about_s > median(waited_s[0.0])  # else one exchange took as long
    ]
