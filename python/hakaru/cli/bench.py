"""``hakaru bench``: hakaru's own performance against bounds and peers, kept apart from the tests."""

import json
import sys
from collections.abc import Sequence
from itertools import groupby
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


def show(rows: Sequence[dict]) -> None:
    """A table for each bench; what was measured may take several lines of 80 columns, a number may not."""
    from hakaru.base.tables import print_table

    for name, own in groupby(rows, key=lambda row: row["bench"]):
        lines = [(row["figure"], _measured(row), _one(row, "bound"), _one(row, "peer")) for row in own]
        print_table(
            name,
            ("figure", "median (95 % interval)", "bound", "peer"),
            lines,
            right=(1, 2, 3),
            whole=(1, 2, 3),
        )


def _measured(row: dict) -> str:
    from hakaru.base import units

    value, low, high = (units.quantity(one, row["unit"]) for one in (row["value"], *row["interval"]))
    unit = value.partition(" ")[2]
    if all(end.partition(" ")[2] == unit for end in (low, high)):
        low, high = (end.partition(" ")[0] for end in (low, high))
    return f"{value} ({low} to {high})"


def _one(row: dict, key: str) -> str:
    from hakaru.base import units

    return "" if row[key] is None else units.quantity(row[key], row["unit"])
