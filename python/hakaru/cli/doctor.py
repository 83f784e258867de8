"""``hakaru doctor``: what on this machine will spoil measurements, and what to do about each."""

import json
from typing import Annotated

import typer

targets = ()

COLOURS = {"ok": "green", "warning": "bold yellow", "not available here": "cyan"}


def register(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of the table.")
    ] = False,
) -> None:
    """Say what on this machine will spoil measurements, and what to do about each."""
    from hakaru.run.doctor import diagnose

    results = diagnose()
    if as_json:
        print(json.dumps({"checks": [result.as_dict() for result in results]}, indent=2))
        return
    show(results)


def show(results: list) -> None:
    """One screen: a row per check; what to do stands below what was found."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1), show_header=False)
    table.add_column("status", no_wrap=True)
    table.add_column("check", no_wrap=True)
    table.add_column("finding")
    words = {"ok": "ok", "warning": "warning", "not available here": "not here"}
    for result in results:
        finding = result.finding
        colour = COLOURS[finding.status]
        text = escape(finding.found)
        if finding.what_to_do:
            text += f" [bold]→[/bold] {escape(finding.what_to_do)}"
        table.add_row(f"[{colour}]{words[finding.status]}[/{colour}]", escape(result.title), text)
    console = Console()
    console.print(table)
    count = sum(result.finding.status == "warning" for result in results)
    absent = sum(result.finding.status == "not available here" for result in results)
    console.print(f"\n{count} of {len(results)} checks warn; {absent} not available here (→ what to do)")
