"""The study's machines, each read once."""

from functools import cache

from hakaru.facts.machines import Machine
from hakaru.studies.replays import machine_named


@cache
def machine_of(name: str) -> Machine:
    return machine_named(name)
