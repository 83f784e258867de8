"""Facts about collectives by algorithm from records of the probe ``collectives``, and where the MPI library chooses badly."""

from collections import defaultdict

from hakaru.base.statistics import median_interval
from hakaru.facts.machines.by_launch import by_launch, measures_messages
from hakaru.facts.records import Record

LIBRARY = "library"
LOSS = 1.10  # the library's time over the best algorithm's, from which on its choice is called wrong

Samples = dict[str, list[float]]  # algorithm -> seconds
Settings = dict[tuple[str, str], str]  # (collective, algorithm) -> what makes Open MPI take it


def settings(records: list[Record]) -> Settings:
    """What the records say of Open MPI's settings; records of earlier versions say nothing."""
    rows = (row for record in records for row in record.rows("settings"))
    return {(row["collective"], row["algorithm"]): row["openmpi"] for row in rows}


def advice(collective: str, algorithm: str, known: Settings) -> str:
    """What to set, as environment variables."""
    setting = known.get((collective, algorithm))
    if setting is None:
        return "see the MPI library's manual"
    return f"OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_{setting}"


def best(samples: Samples) -> str:
    """The named algorithm of the least median."""
    medians = {name: median_interval(own).value for name, own in samples.items() if name != LIBRARY}
    return min(medians, key=lambda name: (medians[name], name))


def loss(samples: Samples) -> tuple[float, float, float]:
    """(value, low, high) of the library's time over that of the best algorithm; the ends from those of both intervals."""
    own, other = (median_interval(samples[name]) for name in (LIBRARY, best(samples)))
    return own.value / other.value, own.low / other.high, own.high / other.low


def clearly_faster(one: list[float], other: list[float]) -> bool:
    """Whether the intervals of the medians do not touch."""
    return median_interval(one).high < median_interval(other).low


def _samples(records: list[Record]) -> dict[tuple[str, str, int, int], Samples]:
    """(level, collective, ranks, bytes) -> samples by algorithm."""
    found: dict = defaultdict(lambda: defaultdict(lambda: [[] for _ in records]))
    for index, record in enumerate(records):
        levels = {row["ranks"]: row["level"] for row in record.rows("levels")}
        for row in record.rows("collectives"):
            key = (levels.get(row["ranks"], "core"), row["collective"], row["ranks"], row["bytes"])
            found[key][row["algorithm"]][index].append(row["seconds"])
    return {
        key: {name: by_launch(launches) for name, launches in own.items()}
        for key, own in sorted(found.items())
    }


def distil(records: list[Record]) -> dict:
    """``{"network": {level: {"algorithms": {collective: facts}}}}`` of all records whose ranks had a processor each; may be empty.

    ``times`` in s by algorithm (``library``: its own choice), ranks and bytes; ``best``: the fastest named algorithm where the library
    is slower than it by more than ``LOSS`` and both intervals, with the factor that it loses and what to set; ``switch``: the bytes
    at which an algorithm clearly overtakes the one that was fastest, and which.
    """
    from hakaru.facts.machines import fact

    usable = [record for record in records if measures_messages(record)]
    ids = [record.id for record in usable]
    network: dict = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    before: dict = {}
    openmpi = all("open mpi" in (record.environment.mpi_library or "").lower() for record in usable)
    known = settings(usable) if openmpi else {}
    for (level, collective, ranks, size), samples in _samples(usable).items():
        facts = network[level][collective]
        for name, values in sorted(samples.items()):
            facts["times"].append(fact(values, "s", ids, algorithm=name, ranks=ranks, bytes=size))
        if LIBRARY not in samples or len(samples) < 2:
            continue
        chosen = best(samples)
        value, low, high = loss(samples)
        if low > LOSS:
            how = advice(collective, chosen, known)
            note = f"{chosen} is faster than the library's own choice by this factor; {how}"
            facts["library_loses"].append(
                fact(
                    value, "1", ids, low=low, high=high, algorithm=chosen, ranks=ranks, bytes=size, note=note
                )
            )
        last = before.setdefault((level, collective, ranks), (chosen, size))
        if clearly_faster(samples[chosen], samples[last[0]]):
            keys = {"ranks": ranks, "below": last[0], "above": chosen}
            facts["switch"].append(fact(size, "B", ids, low=last[1], high=size, **keys))
            last = (chosen, size)
        before[level, collective, ranks] = (last[0], size)
    found = {
        level: {"algorithms": {name: dict(facts) for name, facts in own.items()}}
        for level, own in network.items()
    }
    return {"network": found} if found else {}
