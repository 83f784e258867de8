"""Made-up launches of an app over days, for tests."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hakaru.facts.records import Record, RecordStore
from hakaru.facts.records.fixtures import ENVIRONMENT, layout, record
from hakaru.facts.records.record import WAIT

FIRST = datetime(2026, 3, 1, 2, tzinfo=UTC)
PHASES = [
    {"name": "sweep", "kind": "compute"},
    {"name": "halo", "kind": "communicate"},
    {"name": WAIT, "kind": "idle"},
]


def launch(
    wall_s: float,
    day: int = 0,
    number: int = 0,
    program: str = "heat",
    sweep: float = 0.75,
    ranks: int = 2,
    environment: dict[str, Any] | None = None,
    commit: str = "a" * 40,
    **more: Any,
) -> Record:
    """One launch of three repetitions, the middle one of ``wall_s``; the phase ``sweep`` takes that share, ``halo`` a fifth."""
    moment = FIRST + timedelta(days=day, seconds=number)
    text = f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"
    repetitions = [_repetition(wall_s * factor, sweep, ranks) for factor in (1.01, 1.0, 0.99)]
    fields = {
        "id": f"{moment:%Y%m%dT%H%M%S}.000Z-{program}-{number:06d}",
        "started": text,
        "finished": text,
        "phases": PHASES,
        "layout": layout(ranks, 1),
        "parameters": {"n": 64},
        "environment": ENVIRONMENT | (environment or {}),
        "context": {"git": {"commit": commit, "changed": False}},
    }
    return record(program, number, repetitions, **(fields | more))


def _repetition(wall_s: float, sweep: float, ranks: int) -> dict[str, Any]:
    phases = {
        "sweep": [sweep * wall_s] * ranks,
        "halo": [0.2 * wall_s] * ranks,
        WAIT: [0.01 * wall_s] * ranks,
    }
    return {"wall_s": wall_s, "rank_s": [0.99 * wall_s] * ranks, "phases": phases}


def stored(folder, records: Sequence[Record]) -> RecordStore:
    store = RecordStore(folder)
    for one in records:
        store.write(one)
    return store
