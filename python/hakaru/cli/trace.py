"""``hakaru trace``: run an MPI program and keep what every rank did."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str]:
    return [*built.TRACES, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    app.command("trace", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})(
        trace
    )


def trace(
    command: list[str] = typer.Argument(
        None,
        metavar="-- COMMAND...",
        help="The launch line: mpirun -n 8 ./program arguments.",
        show_default=False,
    ),
    output: Path = typer.Option(
        None, "--output", "-o", help="Folder of the trace (default trace-PROGRAM-TIME where you stand)."
    ),
    keep_raw: bool = typer.Option(
        False, "--keep-raw", help="Keep the raw files of the ranks beside the archive."
    ),
    begin: str = typer.Option(
        None,
        "--from",
        metavar="MARK",
        help="Summarise from here on: a phase, or MPI_Barrier:2 for when the second one returned.",
    ),
    end: str = typer.Option(None, "--to", metavar="MARK", help="Summarise to this mark."),
    read: Path = typer.Option(None, "--read", help="Run nothing: summarise a trace that is there."),
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON on the last line."),
) -> None:
    """Trace any MPI program without changing it; ends with the program's own exit status."""
    from hakaru.tell.traces.analysis import Marks

    marks = Marks(begin, end)
    if read is not None:
        _read(read, command or [], marks, as_json)
        return
    import shutil
    import sys

    from hakaru.base.errors import UserError
    from hakaru.base.output import print_json
    from hakaru.run.tracing.convert import convert
    from hakaru.run.tracing.run import start
    from hakaru.run.tracing.summary import lines, nothing_recorded, summarise
    from hakaru.tell.traces.analysis import analyse, keep
    from hakaru.tell.traces.analysis import lines as told

    folder, line, status = start(command or [], output)
    summary = summarise(folder / "raw")
    if summary is None:
        shutil.rmtree(folder, ignore_errors=True)
        raise nothing_recorded(line.executable.path, line.executable.mpi is not None, status)
    missing = convert(folder / "raw", folder / "archive")
    if missing is None and not keep_raw:
        shutil.rmtree(folder / "raw")
    analysis, page = None, None
    if missing is None:
        try:
            analysis = analyse(folder / "archive", marks)
            page = keep(analysis, folder)
        except UserError as error:
            summary.problems.append(str(error))
    if as_json:
        extra = {"folder": str(folder), "exit_code": status, "archive": missing is None, "analysis": analysis}
        print_json(summary.as_dict() | extra)
    else:
        more = told(analysis) if analysis else []
        print("\n".join(["", *lines(summary), *more]), file=sys.stderr)
        if page:
            print(f"page: {page}", file=sys.stderr)
        where = folder / "archive" if missing is None else folder / "raw"
        print(f"trace: {where}" + (f" (raw: {missing})" if missing else ""), file=sys.stderr)
    raise typer.Exit(status)


def _read(folder: Path, command: list[str], marks, as_json: bool) -> None:
    from hakaru.base.errors import UserError
    from hakaru.base.output import print_json
    from hakaru.foretell.replay.source import find
    from hakaru.tell.traces.analysis import analyse, lines

    if command:
        raise UserError("--read runs nothing", f"'{' '.join(command)}' is given", "leave one of them away")
    inside = folder / "archive"
    found = analyse(find(str(inside if inside.is_dir() else folder), None, None, folder).path, marks)
    if as_json:
        print_json(found)
    else:
        print("\n".join(lines(found)))
