"""``hakaru predict``: the time of a run that has not been made, and how wrong such forecasts were."""

from pathlib import Path
from typing import Annotated

import typer

from hakaru.foretell.replay.choices import LIBRARIES
from hakaru.own.setup import targets as built


def targets(words: list[str]) -> list[str] | None:
    if "--track-record" in words:
        return None
    if built.option(words, "--on") or any(":" in word or Path(word).exists() for word in words):
        return [*built.REPLAY, *built.mentioned(words)]
    everything = built.leaves("app") if "--backtest" in words and not built.measured(words) else None
    return built.mentioned(words) or everything


def register(app: typer.Typer) -> None:
    app.command("predict")(predict)


def predict(
    program: Annotated[
        str | None,
        typer.Argument(
            help="Program whose run is foretold, such as turbulence; or traces of a few ranks, then --ranks."
        ),
    ] = None,
    parameters: Annotated[
        list[str] | None, typer.Argument(help="Its parameters as name=value, such as n=256.")
    ] = None,
    ranks: Annotated[int | None, typer.Option(min=1, help="MPI ranks of the run (default 1).")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each rank.")] = 1,
    nodes: Annotated[
        int | None,
        typer.Option(min=1, help="Nodes of the run; without --ranks, as many ranks as their cores hold."),
    ] = None,
    within: Annotated[
        str | None,
        typer.Option(
            help="Turn it round: the largest size, or with the sizes given the fewest ranks, in 30min, 24h."
        ),
    ] = None,
    growth: Annotated[
        str | None,
        typer.Option(help='How the time grows with the size N, such as "N^4"; one size is enough then.'),
    ] = None,
    sample: Annotated[
        str | None,
        typer.Option(
            help="First run it for so long, such as 10s: its size and layout, with as few steps as it allows."
        ),
    ] = None,
    cold: Annotated[
        bool,
        typer.Option(
            "--cold",
            help="First run the measured sizes with empty caches, which tells what leaving them costs.",
        ),
    ] = False,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            help="On another machine: a known name or a file; computing is carried from runs here (hakaru machines).",
        ),
    ] = None,
    mpi: Annotated[
        str, typer.Option("--mpi", help=f"With --on, whose choice of collectives: {' or '.join(LIBRARIES)}.")
    ] = LIBRARIES[0],
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
    why: Annotated[
        bool, typer.Option("--why", help="Also the model of each phase, and why it was chosen.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Predict what a run usually takes and what any one run may take, phase by phase, from verified runs in the results folder."""
    from hakaru.base import paths
    from hakaru.base.errors import UserError
    from hakaru.facts import programs

    folder = paths.results_folder(results)
    if program is not None and _names_runs(program):
        _extrapolated([program, *(parameters or [])], ranks, on or "here", mpi, folder, as_json)
    elif track_record:
        _track_record(folder, as_json)
    elif backtest:
        _backtest(folder, program, growth, as_json)
    elif program is None:
        example = "for example hakaru predict turbulence n=256 --ranks 2"
        raise UserError("no program is named", "hakaru predict foretells one run", example)
    elif on is not None:
        if within or growth or sample or cold or why:
            options = "neither --within nor --growth, --sample, --cold nor --why"
            raise UserError("--on is given", f"a replay there answers {options}", "leave them away")
        _elsewhere(folder, program, parameters or [], ranks, threads, nodes, on, mpi, as_json)
    else:
        from hakaru.foretell.forecast.asking import Question
        from hakaru.tell import predicted

        given = programs.parse_assignments(parameters or [])
        question = Question(folder, program, given, ranks, threads, nodes, growth, within)
        if status := predicted.answer(question, as_json, why, sample, cold):
            raise typer.Exit(status)


def _names_runs(word: str) -> bool:
    """Whether a word names a trace or a schedule, and no program."""
    if word in built.leaves() or not any((":" in word, "/" in word, Path(word).exists())):
        return False
    from hakaru.foretell.extrapolate.given import names_runs

    return names_runs(word)


def _extrapolated(
    words: list[str], ranks: int | None, on: str, mpi: str, folder: Path, as_json: bool
) -> None:
    from hakaru.base.errors import UserError
    from hakaru.facts.machines import Machine
    from hakaru.facts.machines.files import resolve
    from hakaru.tell.extrapolated import answers as extrapolated

    if ranks is None:
        raise UserError("how many ranks", "traces are extrapolated to a number of ranks", "give --ranks 4096")
    extrapolated.predict(words, ranks, Machine.load(resolve(on, folder)), mpi, folder, as_json)


def _elsewhere(
    folder: Path,
    program: str,
    words: list[str],
    ranks: int | None,
    threads: int,
    nodes: int | None,
    on: str,
    mpi: str,
    as_json: bool,
) -> None:
    from hakaru.base.errors import UserError
    from hakaru.facts import programs
    from hakaru.facts.machines import Machine
    from hakaru.facts.machines.files import resolve
    from hakaru.foretell.elsewhere.foretold import Asked
    from hakaru.tell import elsewhere

    if mpi not in LIBRARIES:
        known = ", ".join(LIBRARIES)
        raise UserError(f"there is no MPI library '{mpi}'", f"known are {known}", "choose one of them")
    given = programs.parse_assignments(words)
    asked = Asked(folder, program, given, ranks, threads, nodes or 1, mpi)
    elsewhere.predict(asked, Machine.load(resolve(on, folder)), as_json)


def _track_record(folder: Path, as_json: bool) -> None:
    from hakaru.base.output import print_json
    from hakaru.facts.records import RecordStore
    from hakaru.foretell import forecast as forecasts
    from hakaru.foretell.forecast import display

    store, records = forecasts.ForecastStore(folder), RecordStore(folder)
    forecasts.score_all(store, records.all())
    track = forecasts.track_record(store, records)
    if as_json:
        print_json(track.as_dict())
    else:
        display.show_track_record(track, folder)


def _backtest(folder: Path, program: str | None, growth: str | None, as_json: bool) -> None:
    from hakaru.base.errors import UserError
    from hakaru.base.output import print_json
    from hakaru.facts.machines import Machine
    from hakaru.facts.records import RecordStore
    from hakaru.foretell import forecast as forecasts
    from hakaru.foretell.forecast import display

    store = RecordStore(folder)
    records = [record for record in store.all(program=program) if record.kind != "probe"]
    machine = Machine.probed_into(folder, records[-1].place) if records else None
    cold = store.cold.all(program=program)
    entries = forecasts.backtest(records, forecasts.evaluate, growth, machine, cold)
    if as_json:
        print_json([entry.as_dict() for entry in entries])
    elif entries:
        display.show_backtest(entries)
    else:
        raise UserError(
            "nothing to test back", f"{folder} has no layout that ran two sizes", "run more sizes first"
        )
