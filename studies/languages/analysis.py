"""The 24 programs of the publication, compiled and run here: CPU times of the matrix product and of writing the result."""

import statistics
import tempfile
from collections.abc import Iterable
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.studies import compilers
from hakaru.studies.analyses import Context
from hakaru.studies.conclusions import held
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study
from hakaru.studies.told import told

from . import files, rules, shown, variants
from .description import STARS
from .rules import Rule, Seconds
from .settings import Settings
from .variants import PHASES, Times, Variant

__all__ = ["Settings", "run"]

Failures = dict[str, UserError]


def run(study: Study[Settings], context: Context) -> Result:
    """Runs on one core of this machine; programs are kept in the results folder. Raises UserError when nothing can be compiled, or programs do not
    compute or write the same."""
    settings, result = study.settings, Result(assumptions=list(study.settings.assumptions))
    size = settings.beyond or settings.trial
    folder = context.results / "studies" / study.name
    jobs = list(variants.variants(study, size))
    context.say("compiling, and reading back what small programs write")
    require_files(settings, jobs, folder)
    built, failures = made(settings, jobs, size.order, folder)
    times = Times({one: {} for one in PHASES})
    for options in size.sets:
        own = {one: path for one, path in built.items() if one.options == options}
        times = times.joined(variants.timed(own, size.order, size.rounds, context.say))
    columns = by_family(times, settings.standard)
    result.rows = time_rows(times) + rule_rows(study, columns)
    result.sections = [
        shown.rules_section(study, columns),
        *(shown.times_section(times, phase) for phase in PHASES),
        shown.failures_section(failures),
    ]
    result.sections = [one for one in result.sections if one.lines]
    result.summary = [held(verdicts(columns)), stars_words(size.order)]
    return result


def made(
    settings: Settings, jobs: Iterable[Variant], order: int, folder: Path
) -> tuple[dict[Variant, Path], Failures]:
    """(programs that ran and have one result, the others). Raises UserError when there is none."""
    built, failed = compilers.each(
        list(jobs), lambda one: variants.build(one, settings.options[one.options], order, folder)
    )
    running, broken = variants.checked(built)
    failed |= broken
    if not running:
        raise UserError("no program could be compiled and run", str(next(iter(failed.values()))))
    return running, {one.name: error for one, error in failed.items()}


def require_files(settings: Settings, jobs: list[Variant], folder: Path) -> None:
    """Every program, for small matrices: its file holds the product. Raises UserError."""
    built, _ = made(settings, jobs, settings.small, folder)
    for variant, path in built.items():
        with tempfile.TemporaryDirectory(prefix="hakaru-study-") as place:
            output = Path(place) / variant.program.name.replace(" ", "-")
            told(path, (output,))
            files.require_content(variant.program, output, settings.small)


Columns = dict[str, dict[str, Seconds]]  # by family and phase


def by_family(times: Times, options: str) -> Columns:
    """Seconds by the program's name, for compilers of several languages that go together."""
    columns: Columns = {}
    for phase in PHASES:
        for variant, values in times.seconds[phase].items():
            if variant.options == options:
                phases = columns.setdefault(variant.compiler.family, {one: {} for one in PHASES})
                phases[phase] = {**phases[phase], variant.program.name: values}
    return columns


def time_rows(times: Times) -> list[Row]:
    rows = [
        Row(f"{phase}/{variant.name}", None, statistics.median(values), "s", "measured")
        for phase in PHASES
        for variant, values in times.seconds[phase].items()
    ]
    return rows + [
        Row(f"bytes/{one.name}", None, float(size), "B", "measured") for one, size in times.bytes.items()
    ]


def stated(study: Study[Settings], rule: Rule) -> float | None:
    """The factor where the publication gives a single one for GNU, whose compilers stand beside ours."""
    for item in rule.items:
        row = study.published.row("statements", "item", item)
        if "GNU" in item:
            factor = str(row["factor"])
            return 1.0 + float(factor) / 100.0 if "%" in str(row["unit"]) else float(factor)
    return None


def rule_rows(study: Study[Settings], columns: Columns) -> list[Row]:
    rows = []
    for family, phases in columns.items():
        for rule in rules.RULES:
            if found := rules.found(rule, phases[rule.phase]):
                published = stated(study, rule) if family == "GNU" else None
                rows.append(Row(f"rule/{rule.name}/{family}", published, found.value, "1", "measured"))
    return rows


def verdicts(columns: Columns) -> dict[str, dict[str, str]]:
    told_: dict[str, dict[str, str]] = {}
    for family, phases in columns.items():
        own = {rule.name: rules.found(rule, phases[rule.phase]) for rule in rules.RULES}
        told_[family] = {
            rule.name: rule.bounds.verdict(found) for rule in rules.RULES if (found := own[rule.name])
        }
    return {family: found for family, found in told_.items() if found}


def stars_words(order: int) -> str:
    return (
        f"The format f20.6 of the publication's listing cannot hold {100.0 * files.stars(order):.0f} % of the results of order {order}: "
        f"it writes stars instead (programs '{STARS}')."
    )
