"""``hakaru test``: the native tests (ctest) and the Python tests (pytest); both always run."""

from typing import Annotated

import typer

targets = ("all",)
parts = ("tests", "documents")


def register(app: typer.Typer) -> None:
    app.command("test")(test)


def test(
    only: Annotated[str | None, typer.Option(help="Run one half: native or python.")] = None,
    select: Annotated[
        str | None, typer.Option("--select", "-k", help="Tests whose name contains this.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also the long runs: ten minutes of each app, full verifications.")
    ] = False,
) -> None:
    """Run every test: ctest over the native programs, then pytest over everything in Python."""
    from hakaru.base.errors import UserError
    from hakaru.own.setup.testing import run_tests

    if only not in (None, "native", "python"):
        raise UserError(f"--only {only} is not known", "there are two halves", "use native or python")
    raise typer.Exit(run_tests(only, select, every))
