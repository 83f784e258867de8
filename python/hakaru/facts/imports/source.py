"""A file that is imported, and what records made of it share."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from hakaru.base import quantities
from hakaru.base.errors import ENVIRONMENT, USAGE, UserError
from hakaru.facts.records.record import MOST_BYTES, SCHEMA, Record

TIME_UNITS = {unit: quantities.factor(unit, "s") for unit in ("ns", "us", "µs", "ms", "s", "min", "h")}
TIME_UNITS |= {"sec": 1.0, "seconds": 1.0}


@dataclass(frozen=True)
class Source:
    """``time``: the name of the value that is the time, where the file has several; None lets the format choose."""

    path: Path
    data: Any
    digest: str
    time: str | None = None


@dataclass(frozen=True)
class Imported:
    """``skipped``: what the file holds beside, with the reason."""

    records: list[Record]
    skipped: list[str] = field(default_factory=list)


def read(path: Path, time: str | None = None) -> Source:
    """Raises UserError that names the place where the file is no JSON."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise UserError(
                f"{path} is too large", f"{size:.3g} B, at most {MOST_BYTES:.3g} B are read", "split it"
            )
        content = path.read_bytes()
    except OSError as error:
        raise UserError(
            f"cannot read {path}", str(error.strerror), "check the file's name", ENVIRONMENT
        ) from None
    try:
        data = json.loads(content)
    except json.JSONDecodeError as error:
        raise UserError(
            f"{path} is no JSON",
            f"line {error.lineno}, column {error.colno}: {error.msg}",
            "mend the file, or write it again",
        ) from None
    except (UnicodeDecodeError, RecursionError, MemoryError) as error:
        raise UserError(f"{path} is no JSON", str(error) or type(error).__name__, "write it again") from None
    return Source(path, data, hashlib.sha256(content).hexdigest(), time)


def fitted(source: Source, form: type, title: str, what_to_do: str) -> Any:
    """The data as a type. Raises UserError that names the field which does not fit."""
    try:
        return msgspec.convert(source.data, form)
    except msgspec.ValidationError as error:
        raise UserError(
            f"{source.path} is no {title} as hakaru knows it", str(error), what_to_do, USAGE
        ) from None


def made(source: Source, number: int, title: str, version: str, **known: Any) -> Record:
    """A record of anybody's program; ``known``: its other fields.

    Its id is made of its time, its program, the file's digest, the chosen time and ``number``: the same file makes the same ids.
    """
    started = known["started"]
    stamp = re.sub(r"[-:]", "", started)
    provenance = {"from": title, "version": version, "file": source.path.name, "sha256": source.digest}
    more = known.pop("imported", {})
    mark = hashlib.sha256(f"{source.digest} {source.time}".encode()).hexdigest()[:6]
    fields = {
        "schema": SCHEMA,
        "id": f"{stamp}-{known['program']}-{mark}{number:04d}",
        "kind": "command",
        "command": "run",
        "status": "ok",
        "failure": None,
        "verdict": "not verified",
        "preset": None,
        "campaign": None,
        "work": {},
        "phases": [],
        "warmup_discarded": 0,
        "repetitions": [],
        "metrics": [],
        "tables": [],
        "checks": [],
        "context": {"imported": provenance | more},
    }
    return Record.of(fields | known)


def environment(**known: Any) -> dict[str, Any]:
    """With every field that a record has to have; what is not known is null."""
    nothing = dict.fromkeys(
        (
            "host",
            "kernel",
            "cpu_model",
            "cpus_online",
            "memory_bytes",
            "compiler",
            "compiler_flags",
            "mpi_library",
            "steal_s",
        )
    )
    return nothing | {"caches": [], "variables": {}, "load_average": []} | known


def layout(ranks: int, threads: int, hosts: list[str], processors: int | None = None) -> dict[str, Any]:
    return {
        "ranks": ranks,
        "threads": threads,
        "hosts": hosts,
        "oversubscribed": processors is not None and ranks * threads > processors,
        "binding_problems": ["not known: the record was imported"],
        "binding": [],
    }


def repetition(wall_s: float, ranks: int) -> dict[str, Any]:
    """Nobody knows the times of single ranks: all have the whole."""
    return {"wall_s": wall_s, "rank_s": [wall_s] * ranks, "phases": {}}


def moment(when: datetime | float) -> str:
    """As in a record, in UTC."""
    at = when.astimezone(UTC) if isinstance(when, datetime) else datetime.fromtimestamp(when, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def program_name(text: str) -> str:
    """``./BM-sort v2`` as a program's name in a record: bm_sort_v2."""
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "imported"
    return name if name[0].isalpha() else f"p{name}"
