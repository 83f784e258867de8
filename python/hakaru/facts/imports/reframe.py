"""JSON reports of ReFrame (``~/.reframe/reports/run-report-*.json``): a record for each test case that has a time.

Fields as reframe/schemas/runreport.json says (github.com/reframe-hpc/reframe, data version 4.2: ``perfvalues``); ``perfvars`` of data
version 3 and before are read as well. The time is a performance value in a unit of time. ReFrame's own ``time_run`` is taken only when
``--time time_run`` asks for it: it holds polling and waiting in the queue.
"""

from datetime import datetime
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

title = "ReFrame"
NEEDED = "take the report as ReFrame wrote it: ~/.reframe/reports/run-report-*.json"
VERSIONS = ("2", "3", "4")
OWN_TIMES = ("time_run", "time_total")


class Session(msgspec.Struct):
    data_version: str
    hostname: str | None = None
    version: str = "not said"
    cmdline: str = ""
    time_start: str | None = None
    time_start_unix: float | None = None


class OldValue(msgspec.Struct):
    name: str
    value: float
    unit: str | None = None


class Testcase(msgspec.Struct):
    name: str
    result: str
    unique_name: str = ""
    system: str = ""
    partition: str | None = None
    environ: str | None = None
    environment: str | None = None
    fail_phase: str | None = None
    fail_reason: str | None = None
    perfvalues: dict[str, list[Any]] = {}
    perfvars: list[OldValue] | None = None
    num_tasks: int | None = None
    num_cpus_per_task: int | None = None
    job_completion_time_unix: float | None = None
    time_run: float | None = None
    time_total: float | None = None


class Run(msgspec.Struct):
    testcases: list[Testcase]


class Report(msgspec.Struct):
    session_info: Session
    runs: list[Run]


def recognises(data: Any) -> bool:
    return isinstance(data, dict) and "session_info" in data and "runs" in data


def records(source: Source) -> Imported:
    """Raises UserError where the file is not as ReFrame writes it, or no case has a time that can be chosen."""
    report = fitted(source, Report, f"run report of {title}", NEEDED)
    version = report.session_info.data_version
    if version.split(".")[0] not in VERSIONS:
        raise UserError(
            f"{source.path} has data version {version}", f"versions {', '.join(VERSIONS)} are known", NEEDED
        )
    found, skipped = [], []
    for at, run in enumerate(report.runs):
        for number, case in enumerate(run.testcases):
            where = f"runs[{at}].testcases[{number}] ({case.unique_name or case.name})"
            if case.result in ("success", "pass"):
                record = _passed(source, report, case, where, len(found), skipped)
            elif case.result in ("failure", "fail", "abort"):
                record = _record(source, report, case, len(found), [], [])
            else:
                record = skipped.append(f"{where}: {case.result}")
            if record is not None:
                found.append(record)
    if not any(record.ok for record in found):
        raise UserError(
            f"{source.path} has no case with a time",
            "; ".join(skipped[:3]) or f"{len(found)} cases failed" if found or skipped else "it has no cases",
            "name the value that is the time with --time NAME; --time time_run takes ReFrame's own, which holds waiting in the queue",
        )
    return Imported(found, skipped)


def _passed(
    source: Source, report: Report, case: Testcase, where: str, number: int, skipped: list[str]
) -> Record | None:
    values = _values(source, case, where)
    times = {name: value * TIME_UNITS[unit] for name, (value, unit) in values.items() if unit in TIME_UNITS}
    times |= {
        name: value
        for name in OWN_TIMES
        if name == source.time and (value := getattr(case, name)) is not None
    }
    chosen = [source.time] if source.time else list(times)
    if len(chosen) > 1:
        raise UserError(
            f"{source.path} has several times",
            f"{where}: {', '.join(chosen)}",
            f"choose one: --time {chosen[0]}",
        )
    if not chosen or chosen[0] not in times:
        missing = (
            f"no value '{source.time}' in a unit of time" if source.time else "no value in a unit of time"
        )
        skipped.append(f"{where}: {missing}")
        return None
    time_s = times[chosen[0]]
    if not 0.0 <= time_s < float("inf"):
        raise UserError(f"{source.path} has a time that is none", f"{where}: {chosen[0]} is {time_s}", NEEDED)
    metrics = [
        {"name": name, "unit": unit or "1", "samples": [value]}
        for name, (value, unit) in values.items()
        if name != chosen[0]
    ]
    return _record(source, report, case, number, [time_s], metrics, {"time": chosen[0]})


def _values(source: Source, case: Testcase, where: str) -> dict[str, tuple[float, str]]:
    """(value, unit) of each performance value, by the last part of its name (``system:partition:name``)."""
    if case.perfvars:
        return {one.name: (one.value, one.unit or "") for one in case.perfvars}
    found = {}
    for name, parts in case.perfvalues.items():
        value, unit = parts[0] if parts else None, parts[4] if len(parts) > 4 else None
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError(
                f"{source.path} is no run report as hakaru knows it",
                f"{where}.perfvalues['{name}'][0] is {value!r}",
                NEEDED,
            )
        found[name.rsplit(":", 1)[-1]] = (float(value), unit or "")
    return found


def _record(
    source: Source,
    report: Report,
    case: Testcase,
    number: int,
    times: list[float],
    metrics: list[dict[str, Any]],
    more: dict[str, Any] | None = None,
) -> Record:
    session = report.session_info
    finished = _finished(source, session, case)
    failure = None
    if not times:
        reason = f"{case.fail_phase or 'case'}: {case.fail_reason or case.result}"
        failure = {"reason": reason, "exit_code": 1, "standard_error": ""}
    ranks, threads = max(1, case.num_tasks or 1), max(1, case.num_cpus_per_task or 1)
    place = ":".join(part for part in (case.system, case.partition) if part) or session.hostname
    return made(
        source,
        number,
        title,
        session.data_version,
        program=program_name(case.name.split(" ")[0]),
        started=finished,
        finished=finished,
        status="failed" if failure else "ok",
        failure=failure,
        verdict="passed" if times else "not verified",
        parameters=_parameters(case.name),
        layout=layout(ranks, threads, []),
        repetitions=[repetition(time_s, ranks) for time_s in times],
        metrics=metrics,
        environment=environment(host=place, compiler=case.environ or case.environment),
        imported={"reframe": session.version, "command": session.cmdline, **(more or {})},
    )


def _parameters(name: str) -> dict[str, int | float | str]:
    """Of a case's name, ``stencil %n=64 %order=2``: numbers where they are some."""
    pairs = (word.partition("=") for word in name.split(" %")[1:])
    return {key: _value(value) for key, _, value in pairs}


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        return value if abs(value) < 2**53 else text
    return text


def _finished(source: Source, session: Session, case: Testcase) -> str:
    unix = case.job_completion_time_unix or session.time_start_unix
    try:
        if unix:
            return moment(unix)
        return moment(datetime.fromisoformat(session.time_start or ""))
    except (ValueError, OverflowError, OSError) as error:
        raise UserError(f"{source.path} has no date", f"session_info.time_start: {error}", NEEDED) from None
