"""``hakaru export``: records as other programs read them."""

import typer

from hakaru.base.commands import command
from hakaru.tell.exports.options import Request

TOLD = "Write the times of the records as CSV, Parquet, OpenMetrics or BenchKit results."
targets = ()


def register(app: typer.Typer) -> None:
    app.command("export")(command(Request, export, TOLD))


def export(request: Request) -> None:
    from hakaru.tell.exports.command import answer

    answer(request)
