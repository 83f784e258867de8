"""``hakaru measure``: anybody's program, run at several sizes and layouts, timed, traced in a share of its launches, and recorded."""

import typer

from hakaru.base.commands import command
from hakaru.own.setup import targets as built
from hakaru.tell.measured.options import Request

TOLD = "Measure any program: sizes x ranks x threads, interleaved and repeated; resumes where it was interrupted."


def targets(words: list[str]) -> tuple[str, ...] | None:
    return built.MEASURE if words else None


def register(app: typer.Typer) -> None:
    app.command("measure")(command(Request, measure, TOLD))


def measure(request: Request) -> None:
    from hakaru.tell.measured import command

    if status := command.measure(request):
        raise typer.Exit(status)
