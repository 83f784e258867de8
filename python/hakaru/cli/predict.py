"""``hakaru predict``: the time of a run that has not been made, and how wrong such forecasts were."""

from typing import Annotated, Any

import typer

WORDS = {
    "ok": "[green]within reach[/green] of the measured runs",
    "far": "[yellow]far[/yellow] from the measured runs: take the interval seriously",
    "refused": "[red]refused[/red]: the measured runs cannot carry it",
}


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
        typer.Option(help='How the time grows with the size N, such as "N^4"; one size is then enough.'),
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
    """Predict a run's time with a 95 % interval, phase by phase, from the verified runs in the results
    folder."""
    from hakaru import native, paths
    from hakaru.errors import UserError

    folder = paths.results_folder(results)
    if track_record:
        _show_track_record(folder, as_json)
        return
    if backtest:
        _show_backtest(folder, program, growth, as_json)
        return
    if program is None:
        raise UserError(
            "no program is named",
            "hakaru predict foretells one run",
            "for example hakaru predict turbulence n=256 --ranks 2",
        )
    _predict(folder, program, native.parse_assignments(parameters or []), (ranks, threads), growth, as_json)


def _predict(
    folder, program: str, parameters: dict, layout: tuple[int, int], growth: str | None, as_json: bool
) -> None:
    from hakaru import forecast as forecasts
    from hakaru.cli import print_json
    from hakaru.errors import USAGE, UserError
    from hakaru.forecast import advice

    made = forecasts.predict(folder, program, parameters, *layout, growth)
    refused = made["extrapolation"]["flag"] == "refused"
    if not refused:
        forecasts.ForecastStore(folder).write(made)
    what_to_do = advice.next_step(made)
    if as_json:
        print_json(made | {"what_to_do": what_to_do})
        if refused:
            raise typer.Exit(USAGE)
        return
    if refused:
        raise UserError(
            f"the time of {program} cannot be foretold from {folder}",
            made["extrapolation"]["reason"],
            what_to_do,
        )
    _show_forecast(made, what_to_do)


def _show_forecast(made: dict[str, Any], what_to_do: str) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(soft_wrap=True)
    layout = made["layout"]
    given = " ".join(f"{name}={value}" for name, value in made["parameters"].items())
    console.print(
        f"[bold]{escape(made['program'])}[/bold] {escape(given)}, {layout['ranks']} ranks x {layout['threads']} threads"
    )
    console.print(
        f"one repetition takes [bold]{_span(made['time_s'])}[/bold] ({100 * made['confidence']:.0f} % interval)\n"
    )
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, justify in (
        ("phase", "left"),
        ("kind", "left"),
        ("time", "right"),
        ("95 % interval", "right"),
        ("share", "right"),
        ("model (s)", "left"),
        ("why this model", "left"),
    ):
        table.add_column(name, justify=justify)
    total = made["time_s"]["value"]
    for phase in sorted(made["phases"], key=lambda phase: -phase["time_s"]["value"]):
        time_s = phase["time_s"]
        if time_s["high"] <= 0.0:
            continue
        share = f"{100 * time_s['value'] / total:.1f} %" if total else ""
        table.add_row(
            escape(phase["name"]),
            phase["kind"],
            _time(time_s["value"]),
            f"{_time(time_s['low'])} .. {_time(time_s['high'])}",
            share,
            escape(phase["fitted"]),
            escape(phase["reason"]),
        )
    console.print(table)
    points = made["fitted_on"]["points"]
    launches = sum(point["launches"] for point in points)
    sizes = ", ".join(f"{size:g}" for size in sorted({point["size"] for point in points}))
    console.print(f"\nrests on {launches} launches at sizes N = {sizes} (N = {made['size']:g} is wanted)")
    for fact in [fact for fact in made["fitted_on"]["left_out"]]:
        console.print(f"  left out: {escape(fact)}")
    if made["growth"]:
        console.print(f"  growth {escape(made['growth'])} is yours, not the data's")
    console.print(
        f"extrapolation: {WORDS[made['extrapolation']['flag']]} ({escape(made['extrapolation']['reason'])})"
    )
    console.print(f"next: {escape(what_to_do)}")


def _show_track_record(folder, as_json: bool) -> None:
    from hakaru import forecast as forecasts
    from hakaru.cli import print_json
    from hakaru.records import RecordStore

    store, records = forecasts.ForecastStore(folder), RecordStore(folder)
    forecasts.score_all(store, [record.data for record in records.all()])
    track = forecasts.track_record(store)
    track["damaged"] += [{"file": str(path), "reason": reason} for path, reason in records.damaged]
    if as_json:
        print_json(track)
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(soft_wrap=True)
    if not track["scored"]:
        console.print(
            f"no forecast of {track['distinct']} in {escape(str(folder))} has been met by a run; make a foretold run, then ask again"
        )
    else:
        console.print(_table(track["entries"]))
        error, inside = track["error"], track["inside"]
        console.print(
            f"\n{track['scored']} of {track['distinct']} forecasts met a run: median error {_percent(error['median'])}, "
            f"quartiles {_percent(error['lower_quartile'])} and {_percent(error['upper_quartile'])}, worst {_percent(error['worst'])}"
        )
        console.print(
            f"the {100 * inside['promised']:.0f} % interval held {inside['count']} times of {track['scored']}: "
            f"{100 * inside['rate']:.0f} % (between {100 * inside['low']:.0f} and {100 * inside['high']:.0f} % at 95 % confidence)"
        )
    for entry in track["damaged"]:
        console.print(f"[yellow]skipped[/yellow] {escape(entry['file'])} ({escape(entry['reason'])})")


def _show_backtest(folder, program: str | None, growth: str | None, as_json: bool) -> None:
    from hakaru import forecast as forecasts
    from hakaru.cli import print_json
    from hakaru.errors import UserError
    from hakaru.records import RecordStore

    records = [
        record.data for record in RecordStore(folder).all(program=program) if record.data["kind"] == "app"
    ]
    entries = forecasts.backtest(records, forecasts.evaluate, growth)
    if as_json:
        print_json(entries)
        return
    if not entries:
        raise UserError(
            "nothing to test back", f"{folder} has no layout that ran two sizes", "run more sizes first"
        )
    from rich.console import Console
    from rich.markup import escape

    console = Console(soft_wrap=True)
    console.print("the largest size that ran, foretold from the smaller ones")
    console.print(_table([entry for entry in entries if entry["predicted"]]))
    for entry in entries:
        if not entry["predicted"]:
            console.print(f"[red]refused[/red] {escape(_label(entry))} ({escape(entry['reason'])})")


def _table(entries: list[dict[str, Any]]):
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("run")
    for name in ("predicted", "95 % interval", "measured", "error"):
        table.add_column(name, justify="right")
    table.add_column("interval")
    table.add_column("reach")
    for entry in entries:
        told = entry["predicted"]
        table.add_row(
            escape(_label(entry)),
            _time(told["value"]),
            f"{_time(told['low'])} .. {_time(told['high'])}",
            _time(entry["measured"]["value"]),
            _percent(entry["error"]),
            "held" if entry["inside"] else "[red]missed[/red]",
            entry["flag"],
        )
    return table


def _label(entry: dict[str, Any]) -> str:
    layout = entry["layout"]
    given = " ".join(f"{name}={value}" for name, value in list(entry["parameters"].items())[:3])
    return f"{entry['program']} {given} on {layout['ranks']} x {layout['threads']}"


def _time(seconds: float) -> str:
    from hakaru.units import scaled

    return f"{seconds:.4g} s" if seconds >= 1.0 else scaled(seconds, "s")


def _span(span: dict[str, float]) -> str:
    return f"{_time(span['value'])}, between {_time(span['low'])} and {_time(span['high'])}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:+.1f} %"
