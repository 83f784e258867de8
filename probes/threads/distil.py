"""Facts about OpenMP on a machine from records of the probe ``threads``."""

from collections import defaultdict
from statistics import median
from typing import Any

from hakaru.facts.records import Record, Row, rows_of

CONSTRUCTS = ("parallel", "for", "parallel_for", "barrier", "single", "critical", "reduction")
# A fork this many times dearer after idling shows that the threads had gone to sleep.
ASLEEP = 5.0
SLEEP_NOTE = "the threads had gone to sleep; OMP_WAIT_POLICY=active keeps them awake"


def by_threads(rows: list[Row], column: str) -> dict[int, list[float]]:
    """Samples of a column for each number of threads, in its order."""
    samples = defaultdict(list)
    for row in rows:
        samples[row["threads"]].append(row[column])
    return dict(sorted(samples.items()))


def imbalances(rows: list[Row]) -> dict[int, list[float]]:
    """max / mean - 1 over the threads of each repetition of equal work, by number of threads above one."""
    teams = defaultdict(list)
    for row in rows:
        teams[row["threads"], row["record"], row["repetition"]].append(row["seconds"])
    samples = defaultdict(list)
    for (threads, _, _), seconds in sorted(teams.items()):
        if threads > 1:
            samples[threads].append(max(seconds) * len(seconds) / sum(seconds) - 1.0)
    return dict(samples)


def distil(records: list[Record]) -> dict:
    """``threads.*`` by number of threads, in s but for the imbalance.

    ``{parallel,for,parallel_for,barrier,single,critical,reduction}``: overheads by EPCC's definition;
    ``{fork,wake,create}``: until the last thread has begun, with threads that wait, after ``idle_s`` of
    serial work, and with threads that have to be created; ``equal_work.imbalance``: max / mean - 1.

    Only overheads whose interval lies above zero are facts. Records of pinned threads are preferred.
    """
    from hakaru.facts.machines import fact

    records = [record for record in records if record.ran]
    records = [record for record in records if record.parameters["bind"] == "cores"] or records
    if not records:
        return {}
    ids = [record.id for record in records]
    overheads = rows_of(records, "overheads")
    tree: dict[str, Any] = defaultdict(list)

    def add(name: str, samples: dict[int, list[float]], **keys: Any) -> None:
        for threads, values in samples.items():
            found = fact(values, "s", ids, threads=threads, **keys)
            if found["low"] > 0.0:
                tree[name].append(found)

    for construct in CONSTRUCTS:
        add(construct, by_threads([row for row in overheads if row["construct"] == construct], "overhead"))
    forks = [row for row in rows_of(records, "forks") if row["threads"] > 1]  # one thread starts no other
    started = by_threads([row for row in forks if row["idle"] == 0.0], "fork")
    add("fork", started)
    if longest := max((row["idle"] for row in forks), default=0.0):
        woken = by_threads([row for row in forks if row["idle"] == longest], "fork")
        for threads, samples in woken.items():
            asleep = median(samples) > ASLEEP * median(started[threads])
            add("wake", {threads: samples}, idle_s=longest, **({"note": SLEEP_NOTE} if asleep else {}))
    add("create", by_threads(rows_of(records, "creation"), "seconds"))
    if samples := imbalances(rows_of(records, "equal_work")):
        facts = [fact(values, "1", ids, threads=threads) for threads, values in samples.items()]
        tree["equal_work"] = {"imbalance": facts}
    return {"threads": dict(tree)}
