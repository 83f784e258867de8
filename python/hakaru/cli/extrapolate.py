"""``hakaru extrapolate``: the schedule of more ranks and other sizes than were traced."""

import typer

from hakaru.base.commands import command
from hakaru.own.setup import targets as built
from hakaru.tell.extrapolated.options import Request

TOLD = "Write the schedule of ranks and sizes that were never run, out of traces of a few small runs."


def targets(words: list[str]) -> list[str]:
    return [*built.REPLAY, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    app.command("extrapolate")(command(Request, extrapolate, TOLD))


def extrapolate(request: Request) -> None:
    from hakaru.tell.extrapolated.answers import answer

    answer(request)
