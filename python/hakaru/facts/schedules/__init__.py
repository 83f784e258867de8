"""What every rank of a program does, in order, as a file."""

from hakaru.facts.schedules.schedule import Head, Operation, Schedule, Stream, walk

__all__ = ["Head", "Operation", "Schedule", "Stream", "walk"]
