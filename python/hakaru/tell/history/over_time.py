"""``hakaru history``: charts in the terminal, changes with what else changed, a page, JSON."""

import sys
from dataclasses import asdict
from datetime import datetime
from typing import Any

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.output import print_json
from hakaru.base.paths import results_folder
from hakaru.facts.history.comparison import short_names
from hakaru.facts.history.selection import Side, in_future, measured, runs, side
from hakaru.facts.history.series import Series, series
from hakaru.facts.records import Wanted
from hakaru.tell.history import plot
from hakaru.tell.history.options import BY, History, fraction
from hakaru.tell.history.words import summary, told

LARGEST_ALARM = 0.2
DRAWN = 12  # series in a terminal; changed ones first


def answer(request: History) -> None:
    """Raises UserError where there is nothing to draw."""
    if request.by not in BY:
        raise UserError(f"--by {request.by} is not known", "a value is a date or a launch", "write --by date")
    alarm = fraction("--false-alarm", request.false_alarm, 0.0005, LARGEST_ALARM)
    chosen = _side(request)
    found = series(chosen, request.phase, request.by, alarm)
    if not found:
        raise _nothing(chosen, request)
    if request.page:
        from hakaru.tell.history.history_page import write_page

        write_page(request.page, found, notes(chosen), alarm)
    if request.as_json:
        print_json(as_dict(found, chosen, alarm))
        return
    for text in notes(chosen):
        print(f"Note: {text}.", file=sys.stderr)
    _print(found, alarm)
    if request.page:
        print(f"Page: {request.page.resolve()}")


def _side(request: History) -> Side:
    folder = results_folder(request.results)
    if request.select:
        return side(request.select, folder, request.program)
    return measured(str(folder), folder, *runs(folder, Wanted(request.program), {}))


def _nothing(chosen: Side, request: History) -> UserError:
    phases = sorted({name for entry in chosen.entries for name in entry.phases})
    if request.phase and phases and request.phase not in phases:
        return UserError(
            f"no run has a phase '{request.phase}'", f"there are: {', '.join(phases)}", "name one of them"
        )
    why = "; ".join(notes(chosen)) or "no launch counts"
    return UserError(f"nothing to draw from {chosen.folder}", why, "see the records with: hakaru records")


def notes(chosen: Side) -> list[str]:
    """What was left out, and what is wrong with clocks."""
    found = [f"{count} launches left out: {reason}" for reason, count in sorted(chosen.left_out.items())]
    if chosen.damaged:
        found.append(f"{len(chosen.damaged)} damaged files left out ({chosen.damaged[0][0].name} ...)")
    hosts = {entry.environment.get("host", "") for entry in chosen.entries}
    if len(hosts) > 1:
        found.append(f"launches of {len(hosts)} hosts stand in one series; choose with --select host=NAME")
    if any(map(in_future, chosen.entries)):
        return [*found, *chosen.notes, "those of the future are left out"]
    return [*found, *chosen.notes]


def as_dict(found: list[Series], chosen: Side, alarm: float) -> dict[str, Any]:
    return {
        "false_alarm": alarm,
        "notes": notes(chosen),
        "series": [
            {
                "program": one.program,
                "parameters": one.parameters,
                "ranks": one.ranks,
                "threads": one.threads,
                "phase": one.phase,
                "long_enough": one.long_enough,
                "points": [
                    {
                        "moment": point.moment,
                        "time_s": asdict(point.time),
                        "launches": [entry.id for entry in point.entries],
                    }
                    for point in one.points
                ],
                "changes": [asdict(change) for change in one.changes],
            }
            for one in found
        ],
    }


def _print(found: list[Series], alarm: float) -> None:
    from rich.console import Console

    width = min(Console().width, 100)
    drawn = sorted(found, key=lambda one: (not one.changes, -len(one.points)))[:DRAWN]
    for one, name in zip(drawn, short_names(drawn), strict=True):
        if len(one.points) == 1:  # nothing to draw
            (point,) = one.points
            print(f"{name}: {units.seconds(point.time.value)} on {point.moment[:10]}")
            continue
        print(f"{name}\n" + "\n".join(_chart(one, width)))
        for change in one.changes:
            print("\n".join(told(change)))
        print()
    if len(found) > len(drawn):
        print(
            f"{len(found) - len(drawn)} more series without a drawing here: --page FILE or --json has all, PROGRAM chooses."
        )
    print(summary(found, alarm))


def _chart(one: Series, width: int) -> list[str]:
    places = positions(one)
    values = [point.time.value for point in one.points]
    lines = plot.chart(places, values, one.levels, width)
    margin = lines[0].index("┤") - 1
    return [*lines, plot.axis(one.points[0].moment[:10], one.points[-1].moment[:10], margin, width)]


def positions(one: Series) -> list[float]:
    """0 to 1 by date."""
    seconds = [datetime.fromisoformat(point.moment).timestamp() for point in one.points]
    first, length = seconds[0], seconds[-1] - seconds[0]
    return [(second - first) / length if length else 0.5 for second in seconds]
