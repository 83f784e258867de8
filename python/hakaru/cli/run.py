"""``hakaru run``: the main job."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str]:
    """The first probe: the job builds the others when that one has run. All of the plan where nothing is run."""
    from hakaru.main_job.plans import ORIGIN

    plan = Path(built.option(words, "--plan") or ORIGIN)
    probes = built.programs_of(plan, "probes") or built.leaves("probe")
    return [*probes, *built.programs_of(plan)] if "--dry-run" in words else probes[:1]


def register(app: typer.Typer) -> None:
    app.command("run")(run)


def run(
    results: Path = typer.Option(
        None, "--results", help="Results folder (default HAKARU_RESULTS or ./hakaru-results)."
    ),
    fresh: bool = typer.Option(
        False, "--fresh", help="Measure everything anew instead of going on with what is there."
    ),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Show every launch line and the estimated time; start nothing."
    ),
    plan: Path = typer.Option(
        None, "--plan", help="Another plan than the built-in one (docs/how-to/campaigns.md)."
    ),
    report: Path = typer.Option(Path("report.html"), "--report", help="Where the report is written."),
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON."),
    meter: str = typer.Option(
        None,
        "--meter",
        help="A command that prints what the node takes, such as 215 W or 81.3 kJ package (docs/how-to/power.md).",
    ),
) -> None:
    """Probe this machine, run real programs, explain, predict a larger problem, check the prediction, report."""
    from hakaru.base.paths import results_folder
    from hakaru.facts.records import RecordStore
    from hakaru.main_job.job import dry_run_of, main_job
    from hakaru.main_job.plans import load_main_plan
    from hakaru.run.power import command

    command.use(meter)
    store, chosen = RecordStore(results_folder(results)), load_main_plan(plan)
    if dry_run:
        from hakaru.tell.dry_run import show

        show(dry_run_of(store, chosen), as_json)
        return
    main_job(store, chosen, fresh, report, as_json)
