"""``hakaru predict``: the time of a run that has not been made, and how wrong such forecasts were."""

from pathlib import Path
from typing import Annotated

import typer

from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str] | None:
    if "--track-record" in words:
        return None
    return built.mentioned(words) or built.leaves("app")


def register(app: typer.Typer) -> None:
    app.command("predict")(predict)


def predict(
    program: Annotated[
        str | None, typer.Argument(help="Program whose run is foretold, such as turbulence.")
    ] = None,
    parameters: Annotated[
        list[str] | None, typer.Argument(help="Its parameters as name=value, such as n=256.")
    ] = None,
    ranks: Annotated[int, typer.Option(min=1, help="MPI ranks of the run.")] = 1,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each rank.")] = 1,
    growth: Annotated[
        str | None,
        typer.Option(help='How the time grows with the size N, such as "N^4"; one size is enough then.'),
    ] = None,
    track_record: Annotated[
        bool, typer.Option("--track-record", help="How wrong the forecasts of this results folder were.")
    ] = False,
    backtest: Annotated[
        bool,
        typer.Option(
            "--backtest", help="Hold out the largest size that ran and foretell it from the others."
        ),
    ] = False,
    results: Annotated[
        str | None,
        typer.Option("--results", help="Results folder (default: HAKARU_RESULTS or hakaru-results)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Predict a run's time with a 95 % interval, phase by phase, from verified runs in the results folder."""
    from hakaru.base import paths
    from hakaru.base.errors import UserError
    from hakaru.facts import programs

    folder = paths.results_folder(results)
    if track_record:
        _track_record(folder, as_json)
    elif backtest:
        _backtest(folder, program, growth, as_json)
    elif program is None:
        example = "for example hakaru predict turbulence n=256 --ranks 2"
        raise UserError("no program is named", "hakaru predict foretells one run", example)
    else:
        given = programs.parse_assignments(parameters or [])
        _predict(folder, program, given, (ranks, threads), growth, as_json)


def _predict(
    folder: Path, program: str, parameters: dict, layout: tuple[int, int], growth: str | None, as_json: bool
) -> None:
    from hakaru.base.errors import USAGE, UserError
    from hakaru.base.output import print_json
    from hakaru.foretell import forecast as forecasts
    from hakaru.foretell.forecast import advice, display

    made = forecasts.predict(folder, program, parameters, *layout, growth)
    if not made.refused:
        forecasts.ForecastStore(folder).write(made)
    what_to_do = advice.next_step(made)
    if as_json:
        print_json(made.as_dict() | {"what_to_do": what_to_do})
        if made.refused:
            raise typer.Exit(USAGE)
    elif made.refused:
        what = f"the time of {program} cannot be foretold from {folder}"
        raise UserError(what, made.extrapolation.reason, what_to_do)
    else:
        display.show_forecast(made, what_to_do)


def _track_record(folder: Path, as_json: bool) -> None:
    from hakaru.base.output import print_json
    from hakaru.facts.records import RecordStore
    from hakaru.foretell import forecast as forecasts
    from hakaru.foretell.forecast import display

    store, records = forecasts.ForecastStore(folder), RecordStore(folder)
    forecasts.score_all(store, records.all())
    track = forecasts.track_record(store)
    track["damaged"] += [{"file": str(path), "reason": reason} for path, reason in records.damaged]
    if as_json:
        print_json(track)
    else:
        display.show_track_record(track, folder)


def _backtest(folder: Path, program: str | None, growth: str | None, as_json: bool) -> None:
    from hakaru.base.errors import UserError
    from hakaru.base.output import print_json
    from hakaru.facts.records import RecordStore
    from hakaru.foretell import forecast as forecasts
    from hakaru.foretell.forecast import display

    records = [record for record in RecordStore(folder).all(program=program) if record.kind == "app"]
    entries = forecasts.backtest(records, forecasts.evaluate, growth)
    if as_json:
        print_json(entries)
    elif entries:
        display.show_backtest(entries)
    else:
        raise UserError(
            "nothing to test back", f"{folder} has no layout that ran two sizes", "run more sizes first"
        )
