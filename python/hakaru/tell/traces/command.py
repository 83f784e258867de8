"""What ``hakaru trace`` does: a run that is traced, converted, analysed and told; or a trace that is there, told."""

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.output import print_json
from hakaru.facts.traces.summary import Marks, TraceSummary
from hakaru.facts.traces.trace import Trace, TraceFolder
from hakaru.foretell.replay.source import find
from hakaru.run.measuring import by_name
from hakaru.run.tracing.run import start
from hakaru.run.tracing.summary import Summary, lines, nothing_recorded, summarise
from hakaru.tell.traces.analysis import analyse, keep
from hakaru.tell.traces.analysis import lines as told


@dataclass(frozen=True)
class Request:
    """``output``: of the trace, None for a new folder here."""

    command: Sequence[str]
    output: Path | None = None
    keep_raw: bool = False
    marks: Marks = Marks()  # noqa: RUF009
    as_json: bool = False


def run_traced(request: Request) -> int:
    """The program's own exit status. Raises UserError when nothing was recorded."""
    output = request.output.absolute() if request.output else None
    folder, line, status = start(by_name.entered(request.command), output)
    summary = summarise(folder)
    if summary is None:
        folder.drop()
        raise nothing_recorded(line.executable.path, line.executable.mpi is not None, status)
    missing = folder.convert()
    if missing is None and not request.keep_raw:
        folder.drop_raw()
    analysis = _analysed(folder, request.marks, summary) if missing is None else None
    if request.as_json:
        found = analysis.as_dict() if analysis else None
        extra = {"folder": str(folder.path), "exit_code": status, "archive": missing is None}
        print_json(dataclasses.asdict(summary) | extra | {"analysis": found})
    else:
        _tell(folder, summary, analysis, missing)
    return status


def _analysed(folder: TraceFolder, marks: Marks, summary: Summary) -> TraceSummary | None:
    """Kept in the folder; what is wrong goes into the summary's problems."""
    try:
        analysis = analyse(folder.trace, marks)
        keep(analysis, folder)
    except UserError as error:
        summary.problems.append(str(error))
        return None
    return analysis


def _tell(folder: TraceFolder, summary: Summary, analysis: TraceSummary | None, missing: str | None) -> None:
    more = [*told(analysis), f"page: {folder.page}"] if analysis else []
    where = f"trace: {folder.archive if missing is None else folder.raw}"
    why = f" (raw: {missing})" if missing else ""
    print("\n".join(["", *lines(summary), *more, where + why]), file=sys.stderr)


def tell_trace(path: Path, request: Request) -> None:
    """Of a folder that ``hakaru trace`` wrote, or of an archive."""
    if request.command:
        given = " ".join(request.command)
        raise UserError("--read runs nothing", f"'{given}' is given", "leave one of them away")
    archive = TraceFolder(path).archive
    source = find(str(archive if archive.is_dir() else path), None, None, path)
    found = analyse(Trace(source.path), request.marks)
    if request.as_json:
        print_json(found.as_dict())
    else:
        print("\n".join(told(found)))
