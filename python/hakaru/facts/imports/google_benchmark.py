"""JSON of Google Benchmark (``--benchmark_out=FILE --benchmark_out_format=json``): a record for each benchmark of the file.

Fields as src/json_reporter.cc writes them (github.com/google/benchmark, version 1.9, json_schema_version 1). A file is one launch; its
repetitions are the record's. Time is ``real_time`` (of one iteration); mean, median and other aggregates are not samples and are left out.
"""

import re
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

import msgspec

from hakaru.base.errors import UserError
from hakaru.facts.imports.source import (
    TIME_UNITS,
    Imported,
    Source,
    environment,
    fitted,
    layout,
    made,
    moment,
    program_name,
    repetition,
)
from hakaru.facts.records import Record

title = "Google Benchmark"
NEEDED = "write it again with --benchmark_out=FILE --benchmark_out_format=json"
OWN = frozenset(
    "name family_index per_family_instance_index run_name run_type repetitions repetition_index threads iterations real_time cpu_time "
    "time_unit label error_occurred error_message skipped skip_message".split()
)


class Cache(msgspec.Struct):
    type: str
    level: int
    size: int
    num_sharing: int = 1


class Context(msgspec.Struct):
    date: str
    host_name: str | None = None
    executable: str | None = None
    num_cpus: int | None = None
    caches: list[Cache] = []
    load_avg: list[float] = []
    library_version: str = "not said"
    library_build_type: str = "not said"


class Benchmark(msgspec.Struct):
    name: str
    run_name: str = ""
    run_type: str = "iteration"
    threads: int = 1
    real_time: float | None = None
    cpu_time: float | None = None
    time_unit: str = "ns"
    error_occurred: bool = False
    error_message: str = ""
    skipped: bool = False


class Report(msgspec.Struct):
    context: Context
    benchmarks: list[Benchmark]


def recognises(data: Any) -> bool:
    return isinstance(data, dict) and "benchmarks" in data and "context" in data


def records(source: Source) -> Imported:
    """Raises UserError where the file is not as Google Benchmark writes it, or holds no sample."""
    report = fitted(source, Report, f"report of {title}", NEEDED)
    grouped: dict[tuple[str, int], list[int]] = {}
    skipped = []
    for number, one in enumerate(report.benchmarks):
        if one.run_type != "iteration":
            skipped.append(f"{one.name}: an aggregate, no sample")
        elif one.skipped:
            skipped.append(f"{one.name}: skipped")
        else:
            grouped.setdefault((one.run_name or one.name, one.threads), []).append(number)
    if not grouped:
        raise UserError(
            f"{source.path} holds no samples",
            f"{len(skipped)} aggregates or skipped ones",
            "run it without --benchmark_report_aggregates_only",
        )
    found = [
        _record(source, report, number, *key, places) for number, (key, places) in enumerate(grouped.items())
    ]
    return Imported(found, skipped)


def _record(
    source: Source, report: Report, number: int, name: str, threads: int, places: list[int]
) -> Record:
    context = report.context
    when = _date(source, context.date)
    broken = next((place for place in places if report.benchmarks[place].error_occurred), None)
    failure, kept = None, places
    if broken is not None:
        failure = {
            "reason": report.benchmarks[broken].error_message or "error",
            "exit_code": 1,
            "standard_error": "",
        }
        kept = []
    return made(
        source,
        number,
        title,
        context.library_version,
        program=program_name(PurePath(context.executable or source.path.stem).name),
        started=when,
        finished=when,
        status="failed" if failure else "ok",
        failure=failure,
        parameters={"benchmark": name},
        layout=layout(1, threads, [context.host_name] if context.host_name else [], context.num_cpus),
        repetitions=[repetition(_seconds(source, report, place), 1) for place in kept],
        metrics=_metrics(source, kept),
        environment=environment(
            host=context.host_name,
            cpus_online=context.num_cpus,
            load_average=context.load_avg[:3],
            caches=[
                {"level": one.level, "type": one.type, "bytes": one.size, "shared_by": one.num_sharing}
                for one in context.caches
            ],
        ),
        imported={"executable": context.executable, "build": context.library_build_type},
    )


def _seconds(source: Source, report: Report, place: int) -> float:
    one = report.benchmarks[place]
    where = f"benchmarks[{place}]"
    if one.time_unit not in TIME_UNITS:
        raise UserError(
            f"{source.path} has a time in '{one.time_unit}'",
            f"in {where}.time_unit",
            "ns, us, ms and s are known",
        )
    if one.real_time is None or not 0.0 <= one.real_time < float("inf"):
        raise UserError(
            f"{source.path} has no time where one is needed", f"{where}.real_time is {one.real_time}", NEEDED
        )
    return one.real_time * TIME_UNITS[one.time_unit]


def _metrics(source: Source, places: list[int]) -> list[dict[str, Any]]:
    """User counters: numbers whose names the library does not use itself; a rate has no unit of its own."""
    data = [source.data["benchmarks"][place] for place in places]
    names = dict.fromkeys(
        name for one in data for name, value in one.items()
        if name not in OWN and isinstance(value, int | float) and not isinstance(value, bool)
    )  # fmt: skip
    return [
        {"name": name, "unit": "1", "samples": [_finite(one.get(name)) for one in data]} for name in names
    ]


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and abs(value) < float("inf") else None


def _date(source: Source, text: str) -> str:
    """RFC 3339, or the older ``2026/11/22-10:00:00``, which is taken as UTC."""
    try:
        old = re.fullmatch(r"(\d{4})/(\d\d)/(\d\d)-(.*)", text)
        when = datetime.fromisoformat(f"{old[1]}-{old[2]}-{old[3]}T{old[4]}" if old else text)
    except ValueError as error:
        raise UserError(f"{source.path} has no date", f"context.date: {error}", NEEDED) from None
    return moment(when if when.tzinfo else when.replace(tzinfo=UTC))
