"""``hakaru compare``: what got slower or faster between two commits, dates, compilers, MPI libraries or results folders."""

import typer

from hakaru.base.commands import command
from hakaru.tell.history.options import Compare

TOLD = "Compare the times of two results folders, commits, dates, compilers or MPI libraries; exit code 1 when something got slower."
targets = ()


def register(app: typer.Typer) -> None:
    app.command("compare")(command(Compare, compare, TOLD))


def compare(request: Compare) -> None:
    from hakaru.base.paths import results_folder
    from hakaru.facts.records.listing import begin

    begin(results_folder(request.results))
    import numpy  # noqa: F401 - takes as long as the listing

    from hakaru.tell.history.comparing import answer

    answer(request)
