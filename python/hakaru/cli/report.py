"""``hakaru report``: one HTML file of everything in the results folder, or its numbers as JSON."""

from pathlib import Path
from typing import Annotated

import typer

targets = ()


def register(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    results: Annotated[
        Path | None, typer.Option("--results", help="Results folder [hakaru-results].")
    ] = None,
    output: Annotated[Path, typer.Option("--output", help="The HTML file to write.")] = Path("report.html"),
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the explained numbers; write no page.")
    ] = False,
) -> None:
    """Explain what was measured: one page that opens offline, and a summary of at most ten lines."""
    import json
    import sys

    from hakaru.base.paths import results_folder
    from hakaru.tell.explain import explain
    from hakaru.tell.explain.summary import summary_lines
    from hakaru.tell.report import write_report
    from hakaru.tell.report.load import load_results
    from hakaru.tell.report.precomputed import precompute

    found = load_results(results_folder(results))
    for problem in found.damaged:
        print(f"left out: {problem}", file=sys.stderr)
    explanation = explain(found.records, found.machine, found.forecasts)
    if as_json:
        print(json.dumps({**explanation.as_dict(), "left_out": found.damaged}, indent=2, allow_nan=False))
        return
    shown = {"left out as damaged": "; ".join(found.damaged)} if found.damaged else None
    path = write_report(output, found.records, found.machine, found.forecasts, shown, precompute(found))
    for line in summary_lines(explanation, found.machine):
        print(line)
    print(f"Report: {path.resolve()}")
