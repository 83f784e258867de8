"""``hakaru replay``: a trace or a schedule on the facts of a machine, and what would change if a fact were another."""

import typer

from hakaru.base.commands import command
from hakaru.own.setup import targets as built
from hakaru.tell.replays.options import Request

TOLD = "Replay a trace or a schedule on a machine: how long it would take there, and why."


def targets(words: list[str]) -> list[str]:
    traced = built.MEASURE if any(word.startswith("trace:") for word in words) else ()
    return [*built.REPLAY, *traced, *built.mentioned(words)]


def register(app: typer.Typer) -> None:
    app.command("replay")(command(Request, replay, TOLD))


def replay(request: Request) -> None:
    from hakaru.tell.replays.request import answer

    answer(request)
