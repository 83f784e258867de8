"""Facts as tables of a file, for rooms that still read the tree."""

from typing import Any

from hakaru.facts.machines.fact import fact, keys_of
from hakaru.facts.machines.tree import is_fact, walk

__all__ = ["fact", "find", "is_fact", "keys_of", "walk"]


def find(machine: dict[str, Any], path: str, **keys: Any) -> dict[str, Any] | None:
    """The first fact at ``path`` whose keys have these values, or None: find(m, "memory.bandwidth", kernel="triad", cores=1)."""
    for here, entry in walk(machine):
        if here == path and all(entry.get(name) == value for name, value in keys.items()):
            return entry
    return None
