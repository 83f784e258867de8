"""``hakaru docs``: the documents as a site that opens offline."""

from pathlib import Path
from typing import Annotated

import typer

parts = ("documents",)


def register(app: typer.Typer) -> None:
    app.command("docs")(docs)


def docs(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder of the site (default build/docs).")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Only read the pages and follow their links.")
    ] = False,
) -> None:
    """Build the documents, with reference pages made from what is there, into a site that opens offline."""
    from hakaru.cli import root as app
    from hakaru.tell.documents import Request, build

    print(f"Documents: {build(Request(typer.main.get_command(app), output, check))}")
