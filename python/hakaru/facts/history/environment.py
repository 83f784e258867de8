"""What was another in the environment of two groups of launches."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from hakaru.facts.records import Entry

BUSIER = 0.5  # load average before the runs: half a core's worth of other work
MIXED = ("commit", "compiler", "compiler flags", "MPI library", "host", "processor", "kernel")
SHOWN = 3  # values of one side


@dataclass(frozen=True)
class Difference:
    """Values that one name had before and after; several where launches of a side differ."""

    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {_listed(self.before)} -> {_listed(self.after)}"


def _listed(values: tuple[str, ...]) -> str:
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return (" | ".join(values[:SHOWN]) or "not known") + more


def differences(before: Sequence[Entry], after: Sequence[Entry]) -> list[Difference]:
    """Names whose values are not the same on both sides, the likeliest reasons first."""
    first, second = values(before), values(after)
    names = [*MIXED, *sorted((first.keys() | second.keys()) - set(MIXED))]
    found = [
        Difference(name, first.get(name, ()), second.get(name, ()))
        for name in names
        if first.get(name, ()) != second.get(name, ())
    ]
    loads = [[entry.load for entry in entries if entry.load is not None] for entries in (before, after)]
    if all(loads):
        low, high = (median(load) for load in loads)
        if abs(high - low) > BUSIER:
            found.append(Difference("load average before a run", (f"{low:.2f}",), (f"{high:.2f}",)))
    return found


def values(entries: Sequence[Entry]) -> dict[str, tuple[str, ...]]:
    """All values of each name, in order."""
    found: dict[str, set[str]] = {}
    seen = set()
    for entry in entries:
        if id(entry.environment) not in seen:
            seen.add(id(entry.environment))
            for name, value in entry.environment.items():
                found.setdefault(name, set()).add(value)
    return {name: tuple(sorted(texts)) for name, texts in found.items()}


def mixed(entries: Sequence[Entry]) -> list[str]:
    """What is not one within a side, for people: ``2 compilers (GNU 12, GNU 13)``."""
    found = values(entries)
    return [
        f"{len(found[name])} values of {name} ({_listed(found[name])})"
        for name in MIXED
        if len(found.get(name, ())) > 1
    ]
