"""The record of a launch of anybody's program."""

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from hakaru.facts.programs import command as commands
from hakaru.facts.records.provenance import now_text
from hakaru.facts.records.record import (
    SCHEMA,
    Failure,
    Memory,
    Phase,
    RankBinding,
    Record,
    Repetition,
    RunLayout,
)
from hakaru.facts.traces.file_use import FileUse
from hakaru.facts.traces.profile import Profile
from hakaru.facts.traces.summary import TraceSummary
from hakaru.run.launchers.command_line import CommandLine
from hakaru.run.measuring import environment, phases
from hakaru.run.measuring.judging import Printed
from hakaru.run.measuring.launching import Asked, Left
from hakaru.run.measuring.printed import NotFound
from hakaru.run.measuring.ranks import RankReport
from hakaru.run.measuring.tracing import Seen

ERRORS_KEPT = 4000  # characters
OUTPUT_KEPT = 1000
ROUTINES_KEPT = 12
FILES_KEPT = 12
WITHOUT_MPI = "regions are timed in programs that use MPI"
PART = (
    "the time that it prints is less than half of the run, and nothing tells what is in it (mark it with MPI_Pcontrol and ask for it with "
    "--region, or name times that it prints with --phase)"
)
SIGNATURE_BYTES = 64 << 20  # of a program file that name its build


def make(
    name: str,
    asked: Asked,
    line: CommandLine,
    left: Left,
    printed: Printed | NotFound,
    started: str,
    campaign: str | None,
    context: Mapping[str, Any],
) -> Record:
    """``printed``: what was found in the output, or why the time was not."""
    failure = _failure(left, printed)
    told = printed if isinstance(printed, Printed) else Printed(None)
    parts = _parts(asked, left, told)
    repetition = None if failure else _repetition(asked, left, told, parts)
    kinds = _kinds(asked, parts) if repetition else {}
    reports = left.reports
    return Record(
        schema=SCHEMA,
        id=name,
        program=asked.file.name,
        kind=commands.KIND,
        command="run",
        status="failed" if failure else "ok",
        failure=failure,
        verdict="not verified" if failure else told.verdict,
        started=started,
        finished=now_text(),
        preset=None,
        campaign=campaign,
        parameters=commands.values_of(asked.file, asked.parameters),
        layout=_layout(asked, reports),
        work=commands.evaluated(asked.file, asked.parameters, asked.ranks, asked.threads),
        phases=tuple(Phase(name=one, kind=kinds[one]) for one in kinds),
        warmup_discarded=0,
        repetitions=(repetition,) if repetition else (),
        metrics=told.metrics,
        tables=(),
        checks=told.checks,
        environment=_environment(asked, line, reports),
        context=dict(context) | {"program": _told(asked, left, told.time_s if not parts else None)},
        **({"memory": Memory(rank_peak_bytes=tuple(one.peak_bytes for one in reports))} if reports else {}),
    )


def _told(asked: Asked, left: Left, untold_s: float | None) -> dict[str, Any]:
    """What only hakaru knows of this launch. ``untold_s``: the time that it printed, where nothing tells what is in it."""
    seen = left.seen
    reasons = [seen.why_not] if seen.why_not else []
    if seen.summary and untold_s is not None and not asked.file.phases:
        reasons.append(PART)
    return {
        "fingerprint": commands.fingerprint(asked.file),
        "traced": seen.anything,
        "launch_s": left.ended.took_s,
        **({"not_traced": "; ".join(reasons)} if reasons else {}),
        **({"messages": _messages(seen.summary)} if seen.summary else {}),
        **({"routines": _routines(seen.profile)} if seen.profile else {}),
        **({"files": _files(seen.files)} if seen.files else {}),
        **({"changed": list(left.changed)} if left.changed and not asked.file.inputs else {}),
    }


def _routines(profile: Profile) -> list[dict[str, Any]]:
    """Those of the program that compute most, with the share of all samples and its 95 % interval."""
    return [
        {"routine": one.routine, "share": one.share, "low": one.low, "high": one.high}
        for one in profile.routines[:ROUTINES_KEPT]
        if one.exclusive and not Path(one.module).name.startswith("libhakaru_")
    ]


def _files(used: FileUse) -> list[dict[str, Any]]:
    """Those with most bytes, and what is wrong with the places that were written. Nobody misses bytes of a scratch file that is gone."""
    return [
        {
            "path": one.path,
            "bytes_read": one.bytes_read,
            "bytes_written": one.bytes_written,
            "seconds": one.seconds,
            "twice_bytes": one.places.twice_bytes if one.places else 0,
            "hole_bytes": one.places.hole_bytes if one.places and not _is_gone(one.path) else 0,
        }
        for one in used.files[:FILES_KEPT]
    ]


def _is_gone(path: str) -> bool:
    return Path(path).is_absolute() and not Path(path).exists()


def _messages(trace: TraceSummary) -> dict[str, float]:
    """Counted exactly by the tracer: point-to-point messages and their bytes, and all calls of MPI."""
    return {
        "messages": float(sum(row[2] for row in trace.matrix.rows)),
        "message_bytes": float(sum(row[3] for row in trace.matrix.rows)),
        "calls": float(sum(call.calls for call in trace.calls)),
    }


def _failure(left: Left, printed: Printed | NotFound) -> Failure | None:
    errors = _said(left)
    if left.ended.stopped:
        return Failure(reason=left.ended.stopped, exit_code=left.ended.status, standard_error=errors)
    if left.ended.status != 0:
        reason = f"ended with status {left.ended.status}"
        return Failure(reason=reason, exit_code=left.ended.status, standard_error=errors)
    if isinstance(printed, NotFound):
        return Failure(reason=str(printed), exit_code=0, standard_error=errors)
    return None


def _said(left: Left) -> str:
    """The ends of both outputs: many programs say what is wrong on standard output."""
    output, errors = (_tail(path) for path in left.outputs)
    return "\n".join(filter(None, [errors, output[-OUTPUT_KEPT:]]))[-ERRORS_KEPT:]


def _tail(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(max(path.stat().st_size - 4 * ERRORS_KEPT, 0))
            return file.read().decode(errors="replace").strip()[-ERRORS_KEPT:]
    except OSError:
        return ""


def _repetition(asked: Asked, left: Left, told: Printed, parts: phases.Parts | None) -> Repetition:
    """Times of the launch, or of what the program printed; every rank's own where hakaru_rank saw them."""
    time_s = told.time_s
    if asked.file.time.region:
        time_s = region_s(asked.file.time.region, left.seen)
    if time_s is not None:
        walls = [time_s] * asked.ranks
    else:
        time_s = left.ended.took_s
        own = [one.wall_s for one in left.reports]
        walls = own if len(own) == asked.ranks else [time_s] * asked.ranks
    return Repetition(
        wall_s=max(time_s, *walls), rank_s=tuple(walls), phases=_phase_times(asked, parts, told, walls)
    )


def region_s(name: str, seen: Seen) -> float:
    """Of the slowest rank. Raises NotFound where the region was not seen."""
    if seen.summary is None:
        raise NotFound(f"the time of the region '{name}' is not known ({seen.why_not or WITHOUT_MPI})")
    times = {one.name: one.max_s for one in seen.summary.phases if one.name}
    if name not in times:
        known = f"it marks {', '.join(times)}" if times else "it marks none"
        raise NotFound(f"there is no region '{name}' in the run ({known})")
    return times[name]


def _phase_times(
    asked: Asked, parts: phases.Parts | None, told: Printed, walls: list[float]
) -> dict[str, tuple[float, ...]]:
    if told.phases:
        return {name: tuple(min(time_s, wall) for wall in walls) for name, time_s in told.phases.items()}
    if not parts:
        return {}
    printed = told.time_s is not None or bool(asked.file.time.region)
    whole = printed or parts.seconds is None
    seen = [wall if whole else min(parts.seconds, wall) for wall in walls]
    return {name: tuple(share * one for one in seen) for name, share in parts.shares.items()}


def _kinds(asked: Asked, parts: phases.Parts | None) -> dict[str, str]:
    if asked.file.phases:
        return {one.name: one.kind for one in asked.file.phases}
    return dict(parts.kinds) if parts else {}


def _parts(asked: Asked, left: Left, told: Printed) -> phases.Parts | None:
    own = [one.wall_s for one in left.reports] or [left.ended.took_s]
    found = phases.of_launch(left.seen, asked.ranks, sum(own) / len(own))
    return phases.of_printed(found, told.time_s) if found and told.time_s is not None else found


def _layout(asked: Asked, reports: list[RankReport]) -> RunLayout:
    usable = {(one.host, number) for one in reports for number in one.allowed}
    wanted = asked.ranks * asked.threads
    return RunLayout(
        ranks=asked.ranks,
        threads=asked.threads,
        hosts=tuple(dict.fromkeys(one.host for one in reports)),
        oversubscribed=bool(usable) and wanted > len(usable),
        binding_problems=tuple(_binding_problems(asked, reports)),
        binding=tuple(RankBinding(rank=one.rank, host=one.host, threads=()) for one in reports),
    )


def _binding_problems(asked: Asked, reports: list[RankReport]) -> list[str]:
    found = []
    if reports and len(reports) != asked.ranks:
        found.append(f"{len(reports)} processes were started where {asked.ranks} ranks were asked for")
    for one in reports:
        if len(one.allowed) < asked.threads:
            found.append(f"rank {one.rank} may use {len(one.allowed)} processors for {asked.threads} threads")
    return found[:8]


def _environment(asked: Asked, line: CommandLine, reports: list[RankReport]):
    found = environment.here(
        _build(line.executable.path),
        f"{commands.fingerprint(asked.file)}: {asked.file.command}",
        str(line.executable.mpi) if line.executable.mpi else None,
        line.variables,
    )
    return replace(
        found,
        involuntary_switches=float(sum(one.involuntary_switches for one in reports)),
        major_faults=float(sum(one.major_faults for one in reports)),
    )


def _build(path: str) -> str:
    """Names the build by its content: another build's times must not be mixed with these."""
    try:
        state = Path(path).stat()
    except OSError:
        return Path(path).name
    return f"{Path(path).name} {_digest(path, state.st_mtime_ns, state.st_size)}"


@lru_cache(maxsize=64)
def _digest(path: str, changed_ns: int, size: int) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read(SIGNATURE_BYTES)).hexdigest()[:12]
    except OSError:
        return "unknown"
