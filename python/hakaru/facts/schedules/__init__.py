"""What every rank of a program does, in order, as a file."""

from hakaru.facts.schedules.schedule import SCHEMA, Head, Operation, Schedule, Stream, walk

__all__ = ["SCHEMA", "Head", "Operation", "Schedule", "Stream", "walk"]
