"""``hakaru trace``: run an MPI program and keep what every rank did; look at a trace, hand it to other viewers."""

from functools import cached_property
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from hakaru.own.setup import targets as built

PARTS = ("export", "timeline")


def targets(words: list[str]) -> list[str] | None:
    return None if not words else [*built.MEASURE, *built.TIMELINES, *built.mentioned(words)]


class TraceCommand(TyperCommand):
    """Takes a launch line behind ``--``, or one of ``PARTS``."""

    @cached_property
    def commands(self) -> dict[str, Any]:
        from hakaru.base.commands import command
        from hakaru.tell.traces.views import ExportRequest, TimelineRequest, export, show_timeline

        parts = typer.Typer(add_completion=False, rich_markup_mode=None)
        parts.command("export")(
            command(ExportRequest, export, "Write a trace for Perfetto, Paraver, or as CSV.")
        )
        told = "Show a trace over time: a page with every rank's phases and calls, messages, waits, the critical path."
        parts.command("timeline")(command(TimelineRequest, show_timeline, told))
        return typer.main.get_command(parts).commands

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if args and args[0] in PARTS:
            part = self.commands[args[0]]
            return part.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


def register(app: typer.Typer) -> None:
    app.command(
        "trace",
        cls=TraceCommand,
        context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    )(trace)


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
    profile: bool = typer.Option(
        True, "--profile/--no-profile", help="Sample where the threads compute, by their CPU time."
    ),
    rate: float = typer.Option(
        100.0, "--rate", metavar="HZ", help="Samples for each second of CPU time (1 to 1000)."
    ),
    files: bool = typer.Option(True, "--files/--no-files", help="See the use of files, not only MPI-IO."),
    folded: Path = typer.Option(
        None, "--folded", metavar="FILE", help="Also write the sampled stacks as flame graph tools read them."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON on the last line."),
) -> None:
    """Trace any MPI program without changing it; ends with the program's own exit status. `hakaru trace timeline` and
    `hakaru trace export` take a trace that is there."""
    from hakaru.facts.traces.summary import Marks
    from hakaru.run.tracing.inject import Watching
    from hakaru.tell.traces.command import Request, run_traced, tell_trace

    watching = Watching(rate if profile else None, files)
    marks = Marks(begin=begin or "", end=end or "")
    request = Request(command or (), output, keep_raw, marks, as_json, watching, folded)
    if read is not None:
        tell_trace(read, request)
        return
    raise typer.Exit(run_traced(request))
