"""``hakaru campaign``: run a campaign written in TOML."""

from pathlib import Path

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str]:
    found = [name for word in words for name in built.programs_of(Path(word))]
    return found or list(built.MEASURE)


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
) -> None:
    """Run programs x sizes x layouts x repeats, interleaved; resumes where it was interrupted."""
    from hakaru.base.paths import results_folder
    from hakaru.facts.records import RecordStore
    from hakaru.run.campaign import load_plan, run_plan, runner

    plan = load_plan(file)
    store = RecordStore(results_folder(results))
    if dry_run:
        from hakaru.tell.dry_run import show

        show(runner.dry_run(plan, store), as_json)
        return
    outcome = run_plan(plan, store)
    show_outcome(outcome, as_json)
    if not outcome.complete:
        raise typer.Exit(4)


def show_outcome(outcome, as_json: bool) -> None:
    """Medians with intervals for each point, what was noisy, what failed."""
    from hakaru.base.output import print_json
    from hakaru.base.statistics import median_interval
    from hakaru.base.tables import print_table

    rows = []
    for state in outcome.states:
        samples = [record.wall_s for record in state.good if record.wall_s is not None]
        summary = median_interval(samples) if samples else None
        rows.append(
            {
                "label": state.point.label,
                "launches": len(state.good),
                "repeats": state.point.repeats,
                "median_s": summary and summary.value,
                "low_s": summary and summary.low,
                "high_s": summary and summary.high,
            }
        )
    if as_json:
        print_json(
            {
                "campaign": outcome.campaign,
                "complete": outcome.complete,
                "points": rows,
                "notes": outcome.notes,
                "failures": [record.id for record in outcome.failures],
            }
        )
        return
    print_table(
        f"Campaign {outcome.campaign}",
        ["run", "launches", "median", "95 % interval"],
        [
            [
                row["label"],
                f"{row['launches']} of {row['repeats']}",
                f"{row['median_s']:.4g} s" if row["median_s"] is not None else "",
                f"{row['low_s']:.4g} to {row['high_s']:.4g} s" if row["median_s"] is not None else "",
            ]
            for row in rows
        ],
        right=(2,),
    )
    for note in outcome.notes:
        print(f"note: {note}")
    for record in outcome.failures:
        print(f"failed: {record.id}: {record.failure.reason}")
