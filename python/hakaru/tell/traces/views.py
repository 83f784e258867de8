"""Other views of a trace that is there: its timeline as a page, its events for other viewers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from typer import Argument, Option

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.files import write_atomically
from hakaru.base.output import print_json
from hakaru.facts.traces.timeline import Timeline, Window
from hakaru.facts.traces.trace import SUFFIX, Trace

FORMS = {"perfetto": ".json", "paraver": ".prv", "csv": ".csv"}


@dataclass(frozen=True)
class TimelineRequest:
    """A page, or the document that it shows."""

    archive: Annotated[
        Path, Argument(metavar="TRACE", help="Folder that hakaru trace wrote, or an OTF2 archive.")
    ]
    output: Annotated[
        Path | None, Option("--output", "-o", help="HTML file (default: timeline.html where you stand).")
    ] = None
    begin: Annotated[
        float | None,
        Option(
            "--from",
            metavar="SECONDS",
            help="Show what is after this moment of the trace (default: where MPI_Init returns).",
        ),
    ] = None
    end: Annotated[
        float | None,
        Option(
            "--to",
            metavar="SECONDS",
            help="Show what is before this moment of the trace (default: where MPI_Finalize begins).",
        ),
    ] = None
    as_json: Annotated[
        bool,
        Option(
            "--json",
            help="Write the document (schema/timeline.schema.json) instead of a page; without -o, print it.",
        ),
    ] = False


@dataclass(frozen=True)
class ExportRequest:
    """For one other viewer."""

    archive: Annotated[
        Path, Argument(metavar="TRACE", help="Folder that hakaru trace wrote, or an OTF2 archive.")
    ]
    output: Annotated[Path, Option("--output", "-o", help="File to write.")]
    perfetto: Annotated[
        bool, Option("--perfetto", help="For Perfetto and Chrome's viewer: trace events in JSON.")
    ] = False
    paraver: Annotated[bool, Option("--paraver", help="For Paraver: .prv, with .pcf and .row beside it.")] = (
        False
    )
    csv: Annotated[
        bool, Option("--csv", help="A line for each call, burst of computing, phase and message.")
    ] = False
    as_json: Annotated[bool, Option("--json", help="Say what was written as JSON.")] = False


def found(path: Path) -> Trace:
    """The trace that a person named. Raises UserError when there is none."""
    if path.is_dir():
        return Trace.of_archive(path)
    if path.is_file() and path.suffix == SUFFIX:
        return Trace(path)
    why = "it is no OTF2 archive" if path.exists() else "no such file or folder"
    raise UserError(
        f"there is no trace {path}", why, "give the folder that hakaru trace wrote, or an OTF2 archive"
    )


def show_timeline(request: TimelineRequest) -> None:
    """Writes the page. Raises UserError; nothing is left then."""
    trace = found(request.archive)
    window = Window(request.begin, request.end)
    if request.as_json:
        _write_document(trace.timeline(window), request.output)
        return
    path = request.output or Path("timeline.html")
    write_trace_page(trace, path, request.archive, window)
    print(f"page: {path}")


def write_trace_page(trace: Trace, path: Path, shown_as: Path, window: Window) -> None:
    from hakaru.tell.traces.timeline.section import of_archive
    from hakaru.tell.traces.trace_page import of_trace, write_page

    timeline = of_archive(trace, window)
    write_page(path, trace.summary(), of_trace(shown_as.name, str(shown_as), timeline))


def _write_document(document: bytes, output: Path | None) -> None:
    if output is None:
        print(document.decode(), end="")
        return
    write_atomically(output, lambda file: file.write(document))
    told = msgspec.json.decode(document, type=Timeline)
    print(f"{output}: {len(told.rows)} rows, {len(told.levels)} levels, {told.messages.count} messages")


def export(request: ExportRequest) -> None:
    """Writes the files. Raises UserError; nothing is left then."""
    chosen = [form for form in FORMS if getattr(request, form)]
    if len(chosen) != 1:
        raise UserError(
            "no format is named" if not chosen else "several formats are named",
            f"known are {', '.join(f'--{form}' for form in FORMS)}",
            "give one of them",
        )
    form = chosen[0]
    if form == "paraver" and request.output.suffix != FORMS[form]:
        raise UserError(
            f"{request.output} is no name for a Paraver trace",
            f"it ends with {FORMS[form]}, and two files come beside it",
            f"write -o {request.output.with_suffix(FORMS[form])}",
        )
    written = found(request.archive).export(form, request.output)
    if request.as_json:
        print_json(msgspec.to_builtins(written))
        return
    parts = (
        ("call", written.calls),
        ("burst of computing", written.bursts),
        ("phase", written.phases),
        ("message", written.messages),
    )
    plural = {"burst of computing": "bursts of computing"}
    told = ", ".join(units.count(number, name, plural.get(name)) for name, number in parts)
    print(f"{request.output}: {told}; {units.capacity(written.bytes)}")
