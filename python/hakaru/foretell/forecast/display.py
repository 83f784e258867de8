"""Forecasts, track records and back-tests as tables for people."""

from collections.abc import Sequence
from pathlib import Path

from hakaru.facts.forecasts import Forecast
from hakaru.facts.forecasts.forecast import ForecastLayout
from hakaru.foretell.forecast.outcomes import BackTest, ScoredEntry, Track


def show_forecast(made: Forecast, what_to_do: str, chart: Sequence[str] = (), why: bool = False) -> None:
    """The time in one line, a chart, phases, how far it reaches, what to do; ``why``: models and what it rests on."""
    from rich.markup import escape

    console = _console()
    given = " ".join(f"{name}={value}" for name, value in made.parameters.items() if value != "")
    console.print(f"[bold]{escape(made.program)}[/bold] {escape(given)} on {layout_name(made.layout)}")
    console.print(f"one repetition: [bold]{made.sentence}[/bold]\n")
    for line in (*chart, "") if chart else ():
        console.print(line, markup=False)
    console.print(_phase_table(made))
    console.print()
    if why:
        _show_why(console, made)
    for line in made.statements():
        console.print(escape(line))
    console.print(f"next: {escape(what_to_do)}")


def _show_why(console, made: Forecast) -> None:
    """For each phase the model in s, and why it was chosen."""
    from rich.markup import escape

    for phase in _by_time(made):
        if phase.time_s.high > 0.0:
            console.print(f"{escape(phase.name)}: {escape(phase.fitted)}  ({escape(phase.reason)})")
    console.print()


def show_track_record(track: Track, folder: Path) -> None:
    """Every scored forecast, the distribution of errors, how often the interval held, files left out."""
    from rich.markup import escape

    console = _console()
    if not track.scored:
        console.print(f"no forecast of {track.distinct} in {escape(str(folder))} has been met by a run")
        console.print("next: make a run that was foretold, then ask again")
    else:
        console.print(_entry_table(track.entries))
        error, inside = track.error, track.inside
        worst = _percent(error.worst)
        quartiles = f"{_percent(error.lower_quartile)} and {_percent(error.upper_quartile)}"
        console.print(f"\n{track.scored} of {track.distinct} forecasts met a run")
        console.print(f"error: median {_percent(error.median)}, quartiles {quartiles}, worst {worst}")
        between = f"between {100 * inside.low:.0f} and {100 * inside.high:.0f} %, at 95 % confidence"
        console.print(
            f"the {100 * inside.promised:.0f} % interval held {inside.count} times "
            f"of {track.scored}: {100 * inside.rate:.0f} % ({between})"
        )
    for entry in track.damaged:
        console.print(f"[yellow]skipped[/yellow] {escape(entry.file)} ({escape(entry.reason)})")


def show_backtest(entries: Sequence[BackTest]) -> None:
    """Predicted beside measured for the largest size of every layout; refused ones with the reason."""
    from rich.markup import escape

    console = _console()
    told = [entry for entry in entries if entry.predicted]
    if told:
        console.print("the largest size that ran, foretold from the smaller ones")
        console.print(_entry_table(told))
    for entry in entries:
        if not entry.predicted:
            console.print(f"[red]refused[/red] {escape(_label(entry, entries))} ({escape(entry.reason)})")


def layout_name(layout: ForecastLayout) -> str:
    """``2 ranks x 1 thread``."""
    ranks, threads = layout.ranks, layout.threads
    return f"{ranks} rank{'s' * (ranks != 1)} x {threads} thread{'s' * (threads != 1)}"


def _console():
    from rich.console import Console

    return Console(soft_wrap=True, highlight=False)


def _table(columns: Sequence[tuple[str, str]]):
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, justify in columns:
        table.add_column(name, justify=justify, no_wrap=justify == "right")
    return table


def _phase_table(made: Forecast):
    from rich.markup import escape

    left, right = "left", "right"
    columns = [
        ("phase", left),
        ("kind", left),
        ("time", right),
        (_interval_name(made), right),
        ("share", right),
    ]
    table = _table(columns)
    total = made.time_s.value
    for phase in _by_time(made):
        span = phase.time_s
        if span.high > 0.0:
            share = f"{100 * span.value / total:.1f} %" if total else ""
            cells = (phase.name, phase.kind, _time(span.value), _bounds(span.low, span.high), share)
            table.add_row(*map(escape, cells))
    return table


def _by_time(made: Forecast):
    return sorted(made.phases, key=lambda phase: -phase.time_s.value)


def _entry_table(entries: Sequence[ScoredEntry | BackTest]):
    from rich.markup import escape

    left, right = "left", "right"
    columns = [
        ("run", left),
        ("predicted", right),
        ("interval", right),
        ("measured", right),
        ("error", right),
    ]
    table = _table([*columns, ("", left), ("reach", left)])
    for entry in entries:
        told = entry.predicted
        held = "held" if entry.inside else "[red]missed[/red]"
        measured, error = _time(entry.measured.value), _percent(entry.error)
        table.add_row(
            escape(_label(entry, entries)),
            _time(told.value),
            _bounds(told.low, told.high),
            measured,
            error,
            held,
            entry.flag,
        )
    return table


def _label(entry: ScoredEntry | BackTest, entries: Sequence[ScoredEntry | BackTest]) -> str:
    """Program, size, the parameters in which the program's entries differ, and the layout."""
    same = [other.parameters for other in entries if other.program == entry.program]
    parameters = entry.parameters
    varying = [name for name in parameters if any(other.get(name) != parameters[name] for other in same)]
    given = "".join(f" {name}={parameters[name]}" for name in varying)
    return f"{entry.program} N={entry.size:g}{given} on {layout_name(entry.layout)}"


def _interval_name(made: Forecast) -> str:
    return f"{100 * made.confidence:.0f} % interval"


def _time(seconds: float) -> str:
    from hakaru.base.units import shown

    return f"{seconds:.4g} s" if seconds >= 1.0 else shown(seconds, "s")


def _bounds(low: float, high: float) -> str:
    return f"{_time(low)} .. {_time(high)}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:+.1f} %"
