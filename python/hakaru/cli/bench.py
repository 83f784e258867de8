"""``hakaru bench``: hakaru's own performance against bounds and peers, kept apart from the tests."""

import json
import sys
from typing import Annotated

import typer

# Each bench says what it needs (TARGETS, NEEDS): built when its turn comes.
targets = ()


def register(app: typer.Typer) -> None:
    app.command("bench")(bench)


def bench(
    names: Annotated[list[str] | None, typer.Argument(help="Benches to run; all when none is named.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line instead of the table.")
    ] = False,
) -> None:
    """Measure hakaru itself: each file in bench/ is one interleaved comparison with a bound and a peer."""
    from hakaru.own.bench import run_benches

    failed, rows = [], []
    for outcome in run_benches(
        names or [], started=lambda name: print(f"bench {name} ...", file=sys.stderr, flush=True)
    ):
        if outcome.failure:
            failed.append(outcome.name)
            print(f"bench {outcome.name} failed ({outcome.failure})", file=sys.stderr, flush=True)
            continue
        rows += outcome.rows
        if as_json:
            for row in outcome.rows:
                print(json.dumps(row), flush=True)
    if not as_json:
        show(rows)
    if failed:
        print(f"failed: {', '.join(failed)} (above: why); the other figures stand", file=sys.stderr)
        raise typer.Exit(1)


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def show(rows: list[dict]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1))
    for column in ("bench", "figure"):
        table.add_column(column)
    for column in ("value", "95 % interval", "unit", "bound", "peer"):
        table.add_column(column, justify="left" if column == "unit" else "right", no_wrap=True)
    for row in rows:
        low, high = row["interval"]
        table.add_row(
            row["bench"],
            row["figure"],
            number(row["value"]),
            f"{number(low)} .. {number(high)}",
            row["unit"],
            number(row["bound"]),
            number(row["peer"]),
        )
    Console().print(table)
