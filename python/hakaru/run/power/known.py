"""The meters of this node: every file of this folder with a ``find``."""

import importlib
import pkgutil

from hakaru.facts.records.power import COMMAND
from hakaru.run import power
from hakaru.run.power.command import VARIABLE
from hakaru.run.power.meter import Found, Place

FIRST = ("command", "cray", "ipmi", "powercap")  # what tells of the whole node before what tells of parts


def kinds() -> list[str]:
    names = [entry.name for entry in pkgutil.iter_modules(power.__path__)]
    return sorted(
        (name for name in names if not name.startswith("test_") and hasattr(_module(name), "find")),
        key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name),
    )


def _module(name: str):
    return importlib.import_module(f"{power.__name__}.{name}")


def meters(place: Place | None = None) -> Found:
    """All that can be read; where none can, why, of each kind that is here; else why not the one that a person named."""
    place = place or Place()
    found = {name: _module(name).find(place) for name in kinds()}
    every = tuple(meter for one in found.values() for meter in one.meters)
    named = found[COMMAND].why_not if place.variables.get(VARIABLE) else ""
    here = [one.why_not for one in found.values() if one.why_not and not one.absent]
    return Found(every, named if every else "; ".join(here) or f"no meter found: {', '.join(found)}")
