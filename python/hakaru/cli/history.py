"""``hakaru history``: how long the same runs took over the dates, and when that changed."""

import typer

from hakaru.base.commands import command
from hakaru.tell.history.options import History

TOLD = "Draw the time of the same runs over their dates, and say when it changed and what else changed then."
targets = ()


def register(app: typer.Typer) -> None:
    app.command("history")(command(History, history, TOLD))


def history(request: History) -> None:
    from hakaru.base.paths import results_folder
    from hakaru.facts.records.listing import begin

    begin(results_folder(request.results))
    import numpy  # noqa: F401 - takes as long as the listing

    from hakaru.tell.history.over_time import answer

    answer(request)
