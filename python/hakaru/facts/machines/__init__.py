"""Machine files: facts about a machine, measured or published, each with its source."""

from hakaru.facts.machines.facts import fact, find, is_fact, walk
from hakaru.facts.machines.files import known_machines, load, problems, save, validate
from hakaru.facts.machines.from_probes import distil, distil_checked
from hakaru.facts.machines.machine import Machine

__all__ = [
    "Machine",
    "distil",
    "distil_checked",
    "fact",
    "find",
    "is_fact",
    "known_machines",
    "load",
    "problems",
    "save",
    "validate",
    "walk",
]
