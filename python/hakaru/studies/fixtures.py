"""For tests without long replays: an engine of closed form, and small schedules, some with the counts of the AP1000+ paper's table 5."""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from hakaru.facts.records.fixtures import table
from hakaru.facts.records.record import Table
from hakaru.facts.schedules import Schedule, walk
from hakaru.foretell.replay.documents import Network, Options
from hakaru.foretell.replay.documents.result import Breakdown, PhaseOfResult, Result, Spent, Spread
from hakaru.studies.entry import Entry
from hakaru.studies.published import Cells
from hakaru.studies.study import Study

Operations = list[dict[str, Any]]


def _repeat(times: int, operations: Operations) -> dict[str, Any]:
    return {"do": "repeat", "times": times, "operations": operations}


_COMPUTE = {"do": "compute", "work": 0}
_BARRIER = {"do": "barrier"}
_SUM = {"do": "allreduce", "bytes": 8}


def _put(shift: int, size: int) -> dict[str, Any]:
    return {"do": "put", "shift": shift, "tag": 1, "bytes": size}


def _moved(ranks: int, pieces: int, size: int) -> Operations:
    """Every rank puts so many pieces to everyone, itself included, and waits for as many."""
    puts = [_put(shift % ranks, size) for shift in range(1, ranks + 1) for _ in range(pieces)]
    return [*puts, {"do": "flag_wait", "tag": 1, "bytes": ranks * pieces}]


def _cg(_: int) -> Operations:
    step = [_COMPUTE, _put(1, 700), {"do": "flag_wait", "tag": 1, "bytes": 1}]
    step += [{"do": "allreduce", "bytes": 11200}, _SUM, _SUM, *[_BARRIER] * 8]
    return [_repeat(390, step), *[_SUM] * 30, *[_BARRIER] * 15]


def _ft(ranks: int) -> Operations:
    return [_repeat(28, [_COMPUTE, *_moved(ranks, 5, 1638), *[_BARRIER] * 3]), *[_SUM] * 48]


def _sp(ranks: int) -> Operations:
    return [_repeat(180, [_COMPUTE, *_moved(ranks, 1, 1422), _BARRIER, _BARRIER])]


def _tomcatv(_: int) -> Operations:
    step = [_COMPUTE, *[_put(shift, 2056) for shift in (1, -1, 1, -1)]]
    step += [{"do": "flag_wait", "tag": 1, "bytes": 4}, _SUM, _SUM, *[_BARRIER] * 6]
    return [_repeat(100, step)]


def _matmul(ranks: int) -> Operations:
    """The rows of the next rank are fetched while those of this one are multiplied."""
    operations: Operations = []
    for shift in range(ranks):
        operations.append({"do": "get", "shift": shift, "tag": 1, "bytes": 9600})
        if shift > 0:
            operations.append(_COMPUTE)
        operations.append({"do": "flag_wait", "tag": 1, "bytes": 1})
    return [*operations, _COMPUTE]


def _scg(_: int) -> Operations:
    halo = [_put(1, 1600), _put(-1, 1600), _COMPUTE, {"do": "flag_wait", "tag": 1, "bytes": 2}]
    sends: Operations = []
    for shift in (1, -1):
        sends += [{"do": "ireceive", "shift": -shift, "tag": 2, "bytes": 0, "request": 0}]
        sends += [{"do": "send", "shift": shift, "tag": 2, "bytes": 0}, {"do": "wait", "request": 0}]
    return [_SUM, _repeat(446, [*halo, *sends, _SUM, _COMPUTE, _SUM])]


_PROGRAMS = {"ep": lambda _: [_COMPUTE], "cg": _cg, "ft": _ft, "sp": _sp, "tomcatv": _tomcatv}
_PROGRAMS |= {"matmul": _matmul, "scg": _scg}


def table_five(program: str, ranks: int) -> dict[str, Any]:
    """The schedule of one of the seven programs (``ep``, ``cg``, ...); rings instead of strips, one amount of work everywhere."""
    return {
        "schema": "hakaru/schedule/1",
        "program": program,
        "description": "counts of table 5",
        "ranks": ranks,
        "phases": [],
        "works": [{"flops": 1e6, "bytes": 0, "bytes_write_allocate": 0}],
        "lists": [],
        "communicators": [{"name": "world"}],
        "streams": [{"ranks": [[0, ranks - 1, 1]], "operations": _PROGRAMS[program](ranks)}],
    }


def small_schedule(entry: Entry, folder: Path) -> Path:
    """In place of an entry's own schedule: the same operations on every rank, in the phases that analyses ask for."""
    name, ranks = entry.program, entry.ranks
    size = 8 * entry.parameters.get("n", 1)
    if name in _PROGRAMS:
        document = table_five(name, min(ranks, 8))
    else:
        document = table_five("ep", ranks)
        marks = [{"do": word, "phase": phase} for phase in ("pack", "transpose") for word in ("begin", "end")]
        send = {"do": "send", "shift": 1, "tag": 1, "bytes": size}
        framed = [{"do": "begin", "phase": "fft"}, _COMPUTE, {"do": "end", "phase": "fft"}]
        document["streams"][0]["operations"] = [
            *framed,
            marks[0],
            _COMPUTE,
            marks[1],
            marks[2],
            send,
            marks[3],
        ]
    path = folder / f"{entry.application}-{name}-{ranks}-{size}.schedule.json".replace("/", "-")
    path.write_text(json.dumps(document))
    return path


def _same(seconds: float) -> Spread:
    return Spread(minimum=seconds, mean=seconds, maximum=seconds)


def result_of(time_s: float, ranks: int = 1, compute_s: float = 0.0, overhead_s: float = 0.0) -> Result:
    """What an engine says of ranks that all do the same."""
    none = _same(0.0)
    return Result(
        makespan_s=time_s,
        engine="closed form",
        program="",
        ranks=ranks,
        messages=0,
        message_bytes=0,
        breakdown=Breakdown(
            finish=_same(time_s),
            compute=_same(compute_s),
            overhead=_same(overhead_s),
            runtime=none,
            waiting=none,
            file=none,
        ),
        phases=(PhaseOfResult(name="transpose", kind="communicate", time_s=_same(overhead_s)),),
        spent=Spent(read_s=0.0, replay_s=0.0, peak_bytes=0.0),
    )


class ClosedForm:
    """An engine: computing at the asked rate, a microsecond a message, and another one where it is longer than the eager limit; phases named
    by bytes are a message each."""

    MESSAGE_S = 1e-6

    def replay(self, source: Path, network: Network, options: Options, only: str | None = None) -> Result:
        document = Schedule.read(source)
        rate = options.roofline.flop_rate if options.roofline else 1e9
        factor = 1.0 if options.compute_factor is None else options.compute_factor
        limit = min(level.eager_limit_bytes or 1e30 for level in network.levels.values())
        compute_s = message_s = 0.0
        for one, times in walk(document.streams[0].operations):
            if one.do == "compute":
                work = one.seconds if one.work is None else document.works[one.work].flops / rate
                compute_s += times * work * factor
            elif not one.is_mark:
                message_s += times * self.MESSAGE_S * (2 if (one.bytes or 0) > limit else 1)
        found = result_of(compute_s + message_s, document.ranks, compute_s, message_s)
        took = msgspec.structs.replace(found.phases[0], time_s=_same(self.MESSAGE_S))
        phases = (
            msgspec.structs.replace(took, name=one.name) for one in document.phases if one.name.isdigit()
        )
        return msgspec.structs.replace(found, phases=(*found.phases, *phases))


def small_tables(compared: Iterable[Any]) -> list[Table]:
    """Tables with one sample of one for every cell that a study of tables compares (its ``settings.compared``)."""
    tables = []
    for entry in compared:
        names = [entry.rows.column, entry.columns.column, entry.value, *([entry.per] if entry.per else [])]
        cells = [(row.value, column.value) for row in entry.rows.labels for column in entry.columns.labels]
        tables.append(
            table(entry.table, " ".join(names), [[*cell, 1.0, 1.0][: len(names)] for cell in cells])
        )
    return tables


def with_settings(study: Study, **changes: Any) -> Study:
    """The study with other settings of its analysis."""
    return dataclasses.replace(study, settings=msgspec.structs.replace(study.settings, **changes))


def with_rows(study: Study, name: str, rows: Iterable[Cells]) -> Study:
    """The study with other rows in a published table."""
    tables = tuple(
        msgspec.structs.replace(table, rows=tuple(rows)) if table.id == name else table
        for table in study.published.tables
    )
    return dataclasses.replace(study, published=msgspec.structs.replace(study.published, tables=tables))
