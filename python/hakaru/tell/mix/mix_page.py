"""The page of a mix: one self-contained HTML file that opens offline, without script."""

from pathlib import Path

from hakaru.base import units
from hakaru.base.files import write_atomically
from hakaru.foretell.mix.ask import Answered
from hakaru.foretell.mix.placing import bars
from hakaru.tell.mix import charts, display
from hakaru.tell.shell import fill


def write_page(path: Path, found: Answered, command: str) -> None:
    """Raises UserError when it cannot be written."""
    text = page(found, command).encode()
    write_atomically(path, lambda file: file.write(text))


def page(found: Answered, command: str) -> str:
    """Same answer, same page, byte by byte."""
    from markupsafe import Markup

    result = found.result
    outcome = found.scenario.played(result.shown_draw)
    gantt, load = None, None
    if outcome.makespan_s > 0.0:
        gantt = charts.gantt(bars(outcome, result.nodes, result.cores), found.names, result.nodes)
        load = charts.load(outcome, result.nodes)
    return fill(
        Path(__file__).with_name("page.html.j2"),
        result=result,
        headline=display.headline(result),
        summary=display.what_it_buys(result),
        basis=display.basis(result),
        gantt=Markup(gantt) if gantt else None,
        load=Markup(load) if load else None,
        figures=display.figures(result.figures),
        what_if_columns=display.WHAT_IF_COLUMNS,
        what_if=display.what_if_rows(result),
        orders=display.orders(result),
        kinds=[
            [
                kind.name,
                str(kind.count),
                str(kind.nodes),
                units.seconds(kind.limit_s),
                units.seconds_interval(kind.run_s),
                units.seconds_interval(kind.wait_s),
            ]
            for kind in result.kinds
        ],
        command=command,
    )
