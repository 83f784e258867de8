"""``hakaru explain``: where the time of a program goes, by size and layout, and what limits it."""

import typer

targets = ()


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)


def explain(
    program: str = typer.Argument(
        None, help="A program that was run, such as himeno; all of them without one."
    ),
    results: str = typer.Option(None, help="Results folder (default HAKARU_RESULTS or ./hakaru-results)."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Times, phases and efficiencies of what was run, what limits them, and what to do."""
    from hakaru.base.errors import UserError
    from hakaru.base.output import print_json
    from hakaru.base.paths import results_folder
    from hakaru.tell.explain import display
    from hakaru.tell.explain import explain as explained
    from hakaru.tell.measured import inside
    from hakaru.tell.report.load import load_results

    found = load_results(results_folder(results))
    records = [one for one in found.records if program in (None, one.program)]
    foretold = [one for one in found.forecasts if program in (None, one.program)]
    if not records:
        ran = ", ".join(sorted({one.program for one in found.records})) or "nothing"
        raise UserError(
            f"there are no runs of {program}", f"{found.folder} has runs of {ran}", "run it first"
        )
    told = explained(records, found.machine, foretold)
    if as_json:
        print_json(told.as_dict())
    else:
        display.show(told)
        for name in sorted({one.program for one in records}):
            inside.show([one for one in records if one.program == name])
