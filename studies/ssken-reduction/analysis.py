"""Studies that publish a table which a program of ours measures: one run on this machine, its tables beside the published ones; and what
reductions in the network are worth to programs, by replay (``worth.py``).

What is compared stands in ``settings.py``.
"""

import statistics

from hakaru.base import units
from hakaru.base.topology import usable_cores
from hakaru.facts.records import Record
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from . import worth
from .settings import Compared, Label, Settings

STATISTICS = {"minimum": min, "median": statistics.median, "maximum": max}


def run(study: Study[Settings], context: Context) -> Result:
    """The program runs here each time, since what it measures is this machine's or costs little. Raises UserError when the run fails."""
    program = study.programs[0]
    ranks = min(program.ranks, usable_cores())
    context.say(f"{program.program} on {units.count(ranks, 'rank')} here")
    result = compare(study, launched(program, Layout(ranks, 1), context)[1])
    worth.beyond(study, context, result)
    return result


def compare(study: Study[Settings], record: Record) -> Result:
    result = Result(assumptions=list(study.settings.assumptions), basis=study.basis)
    for entry in study.settings.compared:
        rows = [row for row in (cell(study, entry, record, *pair) for pair in pairs(entry)) if row]
        result.rows += rows
        result.sections.append(section(entry, rows))
        result.summary.append(summary(entry, rows))
    return result


def pairs(entry: Compared) -> list[tuple[Label, Label]]:
    return [(row, column) for row in entry.rows.labels for column in entry.columns.labels]


def cell(study: Study[Settings], entry: Compared, record: Record, row: Label, column: Label) -> Row | None:
    """None where the record has no such samples."""
    samples = [
        line[entry.value] / (line[entry.per] if entry.per else 1)
        for line in record.rows(entry.table)
        if line[entry.rows.column] == row.value and line[entry.columns.column] == column.value
    ]
    if not samples:
        return None
    stated = None
    where = entry.published
    if where and row.published is not None and column.published is not None:
        stated = study.published.number(where.table, where.key, row.published, column.published)
    ours = float(STATISTICS[entry.statistic](samples))
    return Row(f"{entry.title}/{row.name}/{column.name}", stated, ours, entry.unit, "measured")


def section(entry: Compared, rows: list[Row]) -> Section:
    by_id = {row.id: row for row in rows}
    names = [label.name for label in entry.columns.labels]
    lines = []
    for row in entry.rows.labels:
        line = [row.name]
        for name in names:
            found = by_id.get(f"{entry.title}/{row.name}/{name}")
            line.append("" if found is None else _shown(found))
        lines.append(line)
    words = [f"{entry.words} Shown: the {entry.statistic}; published numbers in brackets.".strip()]
    return Section(entry.title, words, [], [entry.rows.column, *names], lines)


def _shown(row: Row) -> str:
    ours = units.quantity(row.ours, row.unit) if row.unit != "bit" else f"{row.ours:.1f}"
    return ours + ("" if row.published is None else f" ({units.digits(row.published)})")


def summary(entry: Compared, rows: list[Row]) -> str:
    stated = [row for row in rows if row.published is not None]
    if not stated:
        return f"{entry.title}: {units.count(len(rows), 'number')} measured here; none is published."
    if entry.at_least:
        held = [row for row in stated if row.ours >= row.published]
        failed = [row.id.partition("/")[2] for row in stated if row not in held]
        told = f"; below: {', '.join(failed)}" if failed else ""
        return f"{entry.title}: at least as published in {len(held)} of {len(stated)}{told}."
    errors = [abs(row.error) for row in stated if row.error is not None]
    return f"{entry.title}: median difference {statistics.median(errors):.1%} of {len(stated)}."
