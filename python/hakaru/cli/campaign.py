"""``hakaru campaign``: run a campaign written in TOML."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str]:
    files = [Path(word) for word in built.arguments(words, ("--results", "--site", "--meter"))]
    theirs = built.MEASURE if any(built.names_others(file) for file in files) else ()
    return [*theirs, *(name for file in files for name in built.programs_of(file))]


def register(app: typer.Typer) -> None:
    app.command("campaign")(campaign)


def campaign(
    file: Path = typer.Argument(..., help="Campaign in TOML (docs/how-to/campaigns.md)."),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Show every launch line and the estimated time; start nothing."
    ),
    results: Path = typer.Option(
        None, "--results", help="Results folder (default HAKARU_RESULTS or ./hakaru-results)."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    submit: bool = typer.Option(
        False, "--submit", help="Submit jobs to the batch system for what is missing and in no job's hands."
    ),
    collect: bool = typer.Option(False, "--collect", help="Say how its jobs stand and what they have given."),
    cancel: bool = typer.Option(False, "--cancel", help="Cancel its jobs."),
    wait: bool = typer.Option(
        False,
        "--wait",
        help="With --submit or --collect: wait until the jobs have ended; --submit submits again.",
    ),
    again: bool = typer.Option(
        False, "--again", help="With --submit: also what was given up because its jobs broke off too often."
    ),
    site: Path = typer.Option(
        None, "--site", help="Site file (default HAKARU_SITE, ./site.toml, ~/.config/hakaru/site.toml)."
    ),
    meter: str = typer.Option(
        None,
        "--meter",
        help="A command that prints what the node takes, such as 215 W or 81.3 kJ package (docs/how-to/power.md).",
    ),
) -> None:
    """Run programs x sizes x layouts x repeats, interleaved, here or as jobs of a batch system; resumes where it was interrupted."""
    if submit or collect or cancel:
        from hakaru.base.errors import UserError
        from hakaru.tell.batch import Asked, answer

        if meter is not None:
            raise UserError("--meter is given", "it is read where the job runs", "write meter in site.toml")

        asked = Asked(file, results, site, submit, collect, cancel, dry_run, wait, again, as_json)
        raise typer.Exit(answer(asked))
    from hakaru.base.paths import results_folder
    from hakaru.facts.records import RecordStore
    from hakaru.run.campaign import load_plan, run_plan, runner
    from hakaru.run.power import command

    command.use(meter)
    plan = load_plan(file)
    store = RecordStore(results_folder(results))
    if dry_run:
        from hakaru.tell.dry_run import show

        show(runner.dry_run(plan, store), as_json)
        return
    from hakaru.tell.outcome import show_outcome

    outcome = run_plan(plan, store)
    show_outcome(outcome, as_json)
    if not outcome.complete:
        raise typer.Exit(4)
