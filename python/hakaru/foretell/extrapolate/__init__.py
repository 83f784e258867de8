"""Schedules of ranks and sizes that were never run, out of traces of a few small ones."""
