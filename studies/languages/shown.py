"""The page of the study: conclusions, and times of each program."""

from collections.abc import Mapping

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval, median_interval
from hakaru.studies.conclusions import LITTLE, MORE
from hakaru.studies.result import Section
from hakaru.studies.study import Study

from . import rules
from .rules import Rule, Seconds
from .settings import Settings
from .variants import Times

TITLES = {"compute": "CPU time of the matrix product", "write": "CPU time of writing the result"}


def ratio(found: Interval) -> str:
    return f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"


def published(study: Study[Settings], rule: Rule) -> str:
    """The factors that the text states, with the machine."""
    rows = [study.published.row("statements", "item", item) for item in rule.items]
    return "; ".join(f"{row['factor']} {row['unit']}, {row['machine']}" for row in rows)


def rules_section(study: Study[Settings], columns: Mapping[str, Mapping[str, Seconds]]) -> Section:
    section = Section(
        "What the publication concludes, and whether it holds",
        [
            "Ratios of CPU times, geometric means over pairs of programs that differ in nothing else, with 95 % intervals over rounds. "
            f"Within {100 * (MORE - 1):.0f} % nothing is called slower; much is more than {100 * (LITTLE - 1):.0f} %. "
            "Open: the interval reaches over the bound. Conclusions without a published factor are stated in words, or are ours."
        ],
        columns=["conclusion", "published", *columns],
    )
    for rule in rules.RULES:
        cells = []
        for phases in columns.values():
            found = rules.found(rule, phases[rule.phase])
            cells.append(f"{ratio(found)} {rule.bounds.verdict(found)}" if found else "")
        if any(cells):
            section.lines.append([rule.words, published(study, rule), *cells])
    return section


def times_section(times: Times, phase: str) -> Section:
    """A line a program, a column for each compiler and set of options."""
    seconds = times.seconds[phase]
    sets = list(dict.fromkeys((one.compiler.family, one.options) for one in seconds))
    about = {one.program.name: one.program for one in seconds}
    section = Section(
        TITLES[phase],
        ["Medians over rounds; programs took turns on one core."]
        + (
            ["Files went to the folder for temporary files, into the page cache."] if phase == "write" else []
        ),
        columns=["program", "language", "kind", *(f"{family}, {options}" for family, options in sets)],
    )
    for name, program in about.items():
        cells = []
        for own in sets:
            values = next(
                (
                    found
                    for one, found in seconds.items()
                    if (one.compiler.family, one.options, one.program.name) == (*own, name)
                ),
                None,
            )
            cells.append(units.seconds_interval(median_interval(values)) if values else "")
        section.lines.append([name, program.language.capitalize(), program.about, *cells])
    return section


def failures_section(failures: Mapping[str, UserError]) -> Section:
    lines = [[one, str(error)] for one, error in failures.items()]
    return Section("What could not be compiled or run", ["The rest went on."], [], ["program", "why"], lines)
