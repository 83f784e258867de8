"""What threads cost a rank, from the facts of the probe ``threads``: a computation of a schedule forks once, and its slowest thread decides.

t(T threads) = t(roofline) (1 + imbalance) + parallel       parallel: the EPCC overhead of a region, in s; imbalance: max / mean - 1
"""

from math import log

from hakaru.facts.machines import Machine
from hakaru.foretell.replay.documents.answer import Team
from hakaru.foretell.replay.levels import Told


def team(machine: Machine, threads: int, told: Told) -> Team:
    """What a team of so many threads adds to each computation; nothing for one thread."""
    if threads == 1:
        return Team()
    fork_s = _at(machine, threads, told, "the start of threads costs nothing", "parallel")
    imbalance = _at(machine, threads, told, "threads end at the same time", "equal_work", "imbalance")
    return Team(fork_s=fork_s, imbalance=imbalance)


def _at(machine: Machine, threads: int, told: Told, otherwise: str, *path: str) -> float:
    """The fact of that many threads, else of the number nearest in ratio."""
    name = ".".join(("threads", *path))
    known = [fact for fact in machine.values("threads", *path) if fact.keys.get("threads", 1) > 1]
    if not known:
        told.lack(otherwise, name)
        return 0.0
    found = min(known, key=lambda fact: abs(log(fact.keys["threads"] / threads)))
    told.fact(name, found)
    if found.keys["threads"] != threads:
        told.assume(f"{name} of {threads} threads is that of {found.keys['threads']}")
    return float(found.value)
