"""What ``hakaru trace`` does: a run that is traced, converted, analysed and told; or a trace that is there, told."""

import dataclasses
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.output import print_json
from hakaru.facts.traces.summary import Marks, TraceSummary
from hakaru.facts.traces.trace import Trace, TraceFolder
from hakaru.foretell.replay.source import find
from hakaru.run.measuring import by_name
from hakaru.run.tracing.inject import Watching
from hakaru.run.tracing.run import start
from hakaru.run.tracing.summary import Summary, lines, nothing_recorded, summarise
from hakaru.tell.traces.analysis import analyse, keep
from hakaru.tell.traces.analysis import lines as told
from hakaru.tell.traces.watched import results
from hakaru.tell.traces.watched.lines import lines as watched_lines
from hakaru.tell.traces.watched.results import Watched


@dataclass(frozen=True)
class Request:
    """``output``: of the trace, None for a new folder here; ``folded``: where stacks are written, None for nowhere."""

    command: Sequence[str]
    output: Path | None = None
    keep_raw: bool = False
    marks: Marks = Marks()  # noqa: RUF009
    as_json: bool = False
    watching: Watching = field(default_factory=Watching)
    folded: Path | None = None


def run_traced(request: Request) -> int:
    """The program's own exit status. Raises UserError when nothing was recorded."""
    output = request.output.absolute() if request.output else None
    folded = request.folded.absolute() if request.folded else None
    folder, line, status = start(by_name.entered(request.command), output, request.watching)
    if not _told(folder, request, status, folded):
        folder.drop()
        raise nothing_recorded(line.executable.path, line.executable.mpi is not None, status)
    return status


def tell_raw(folder: TraceFolder, request: Request) -> bool:
    """What ``hakaru trace`` does after a run, for raw files that are there. False when nothing was recorded."""
    return _told(folder, request, 0, None)


def _told(folder: TraceFolder, request: Request, status: int, folded: Path | None) -> bool:
    summary = summarise(folder)
    watched = results.made(folder.raw)
    if summary is None and not watched.anything and not watched.problems:
        return False
    missing = folder.convert() if summary else None
    _keep_watched(watched, folder, folded)
    if missing is None and not watched.problems and not request.keep_raw:
        folder.drop_raw()
    analysis = _analysed(folder, request.marks, summary) if summary and missing is None else None
    if request.as_json:
        found = analysis.as_dict() if analysis else None
        extra = {
            "folder": str(folder.path),
            "exit_code": status,
            "archive": summary is not None and missing is None,
        }
        counted = dataclasses.asdict(summary) if summary else {}
        print_json(counted | extra | {"analysis": found} | watched.as_dict())
    else:
        _tell(folder, summary, analysis, missing, watched)
    return True


def _keep_watched(watched: Watched, folder: TraceFolder, folded: Path | None) -> None:
    try:
        if watched.anything:
            watched.keep(folder.path)
        if folded:
            results.write_folded(watched, folded)
    except UserError as error:
        watched.problems.append(str(error))


def _analysed(folder: TraceFolder, marks: Marks, summary: Summary) -> TraceSummary | None:
    """Kept in the folder; what is wrong goes into the summary's problems."""
    try:
        analysis = analyse(folder.trace, marks)
        keep(analysis, folder)
    except UserError as error:
        summary.problems.append(str(error))
        return None
    return analysis


def _tell(
    folder: TraceFolder,
    summary: Summary | None,
    analysis: TraceSummary | None,
    missing: str | None,
    watched: Watched,
) -> None:
    text = [
        *(lines(summary) if summary else []),
        *(told(analysis) if analysis else []),
        *watched_lines(watched, analysis is not None and analysis.marks.any),
    ]
    text += [f"page: {folder.page}"] if analysis else []
    text += [f"page: {folder.path / results.PAGE}"] if watched.anything else []
    if summary:
        why = f" (raw: {missing})" if missing else ""
        text.append(f"trace: {folder.archive if missing is None else folder.raw}{why}")
    print("\n".join(["", *text]), file=sys.stderr)


def tell_trace(path: Path, request: Request) -> None:
    """Of a folder that ``hakaru trace`` wrote, or of an archive."""
    if request.command:
        given = " ".join(request.command)
        raise UserError("--read runs nothing", f"'{given}' is given", "leave one of them away")
    watched = results.read(path) if path.is_dir() else Watched()
    if request.folded:
        results.write_folded(watched, request.folded)
    archive = TraceFolder(path).archive
    if watched.anything and not archive.is_dir():  # a program without MPI
        print_json(watched.as_dict()) if request.as_json else print("\n".join(watched_lines(watched)))
        return
    source = find(str(archive if archive.is_dir() else path), None, None, path)
    found = analyse(Trace(source.path), request.marks)
    if request.as_json:
        print_json(found.as_dict())
    else:
        print("\n".join([*told(found), *watched_lines(watched, request.marks.any)]))
