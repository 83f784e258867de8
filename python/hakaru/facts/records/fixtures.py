"""Made-up records for tests."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from hakaru.facts.records.record import SCHEMA, Column, Record, Table

ENVIRONMENT = {
    "host": "node1",
    "kernel": "6.1",
    "cpu_model": "test processor",
    "cpus_online": 4,
    "memory_bytes": 8 * 2**30,
    "caches": [{"level": 1, "type": "data", "bytes": 32768, "shared_by": 1}],
    "compiler": "g++ 12",
    "compiler_flags": "-O3",
    "mpi_library": "Open MPI 4.1.4",
    "variables": {},
    "load_average": [0.0, 0.0],
    "steal_s": 0.0,
    "involuntary_switches": 0,
    "major_faults": 0,
}


def layout(ranks: int, threads: int, **more: Any) -> dict[str, Any]:
    return {
        "ranks": ranks,
        "threads": threads,
        "hosts": ["node1"],
        "oversubscribed": False,
        "binding_problems": [],
        "binding": [],
        **more,
    }


def record(program: str, number: int = 0, repetitions: list[dict] | None = None, **more: Any) -> Record:
    """A successful, verified run of an app on one core; ``more`` replaces fields of the file."""
    moment = f"2026-01-01T{number // 3600:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
    return Record.of(
        {
            "schema": SCHEMA,
            "id": f"{moment.replace(':', '').replace('-', '')}-{program}-{number:05d}",
            "program": program,
            "kind": "app",
            "command": "run",
            "status": "ok",
            "failure": None,
            "verdict": "passed",
            "started": moment,
            "finished": moment,
            "preset": None,
            "campaign": None,
            "parameters": {},
            "layout": layout(1, 1),
            "work": {},
            "phases": [],
            "warmup_discarded": 1,
            "repetitions": repetitions or [],
            "metrics": [],
            "tables": [],
            "checks": [],
            "environment": ENVIRONMENT,
            "context": {},
        }
        | more
    )


def table(name: str, columns: str, rows: Iterable[Sequence[Any]]) -> Table:
    """A table of a record; ``columns``: their names."""
    named = tuple(Column(name=one, unit="1") for one in columns.split())
    return Table(name=name, columns=named, rows=tuple(map(tuple, rows)))


def probed(identity: str, *tables: Table, ranks: int = 1, **more: Any) -> Record:
    """A successful run of a probe with these tables; ``more`` replaces fields of the file."""
    fields = {"id": identity, "kind": "probe", "layout": layout(ranks, 1)} | more
    return with_tables(record("probe", **fields), *tables)


def changed(one: Record, **fields: Any) -> Record:
    """The record with these fields of its file replaced."""
    return Record.of(one.as_dict() | fields)


def with_tables(one: Record, *tables: Table) -> Record:
    """The record with these tables beside its own, or in place of those of their names."""
    names = {table.name for table in tables}
    kept = (table for table in one.tables if table.name not in names)
    return msgspec.structs.replace(one, tables=(*kept, *tables))


def without_rows(one: Record, *names: str) -> Record:
    """The record with these tables empty."""
    tables = (
        msgspec.structs.replace(table, rows=()) if table.name in names else table for table in one.tables
    )
    return msgspec.structs.replace(one, tables=tuple(tables))
