"""A launch as rows: one for its whole time, one for each phase."""

import json
from collections.abc import Iterable, Iterator

from hakaru.facts.records import Entry

ENVIRONMENT = {
    "host": "host",
    "processor": "processor",
    "compiler": "compiler",
    "compiler_flags": "compiler flags",
    "mpi_library": "MPI library",
    "kernel": "kernel",
    "hakaru": "hakaru",
    "commit": "commit",
}
TEXTS = ("id", "started", "finished", "program", "kind", "command", "status", "verdict", "campaign")
COLUMNS = (
    *TEXTS,
    "parameters",
    "ranks",
    "threads",
    "oversubscribed",
    "left_out",
    "failure",
    "phase",
    "time_s",
    *ENVIRONMENT,
)

Row = dict[str, str | int | float | bool | None]


def rows(entries: Iterable[Entry]) -> Iterator[Row]:
    """``phase`` is None for the whole time; a launch without a time has that row only. ``left_out``: why the time is no performance."""
    for entry in entries:
        common: Row = {name: getattr(entry, name) for name in TEXTS}
        common |= {
            "parameters": json.dumps(entry.parameters),
            "ranks": entry.ranks,
            "threads": entry.threads,
            "oversubscribed": entry.oversubscribed,
            "left_out": entry.left_out,
            "failure": entry.reason,
        }
        common |= {column: entry.environment.get(name) for column, name in ENVIRONMENT.items()}
        yield common | {"phase": None, "time_s": entry.wall_s}
        for phase, time_s in entry.phases.items():
            yield common | {"phase": phase, "time_s": time_s}
