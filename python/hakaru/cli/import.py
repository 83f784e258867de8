"""``hakaru import``: results of other programs as records."""

from pathlib import Path
from typing import Annotated

import typer

targets = ()
TOLD = 5


def register(app: typer.Typer) -> None:
    app.command("import")(bring)


def bring(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="JSON of Google Benchmark, or a run report of ReFrame."),
    ],
    time: Annotated[
        str | None,
        typer.Option("--time", help="Performance value that is the time, where ReFrame has several."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option("--results", help="Results folder [hakaru-results].")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make records of other programs' results; either all records of all files are made, or none."""
    import sys

    from hakaru.base import units
    from hakaru.base.output import print_json
    from hakaru.base.paths import results_folder
    from hakaru.facts.imports.bring import bring_in

    folder = results_folder(results)
    brought = bring_in(files, folder, time)
    for text in brought.skipped[:TOLD]:
        print(f"hakaru: left out: {text}", file=sys.stderr)
    if len(brought.skipped) > TOLD:
        print(f"hakaru: left out: {len(brought.skipped) - TOLD} more; --json names all", file=sys.stderr)
    if as_json:
        print_json({"records": brought.made, "known": brought.known, "skipped": brought.skipped})
        return
    print(f"{units.count(len(brought.made), 'record')} made in {folder}")
    if brought.known:
        print(f"{units.count(len(brought.known), 'record')} had been imported before")
