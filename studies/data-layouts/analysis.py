"""A step of a multi-block flow solver in seven layouts and four orders of loops, compiled and run here, beside the published times."""

import statistics

from hakaru.base.errors import UserError
from hakaru.base.ratios import ratio_interval
from hakaru.base.statistics import Interval
from hakaru.studies import compilers
from hakaru.studies.analyses import Context
from hakaru.studies.conclusions import held
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import columns, rules, shown, variants
from .columns import Column
from .settings import Settings, Size
from .variants import BEST, Times, Variant

__all__ = ["Settings", "run"]


def run(study: Study[Settings], context: Context) -> Result:
    """Runs on one core of this machine; programs are kept in the results folder. Raises UserError when nothing can be compiled or two programs do
    not compute the same."""
    settings, result = study.settings, Result(assumptions=list(study.settings.assumptions))
    size = settings.beyond or settings.trial
    times, failures = measured(settings, size, context)
    stated = columns.published(study)
    own = {options: columns.ours(times, options) for options in size.sets}
    standard = own.get(settings.standard, [])
    result.rows += time_rows(times) + relative_rows(standard, stated) + rule_rows(standard, stated)
    result.rows += vector_rows(times)
    result.sections = [
        shown.rules_section(stated, standard),
        shown.times_section(stated, standard, size),
        shown.options_section(own),
        shown.vectors_section(times, fastest(times), size),
        shown.failures_section(failures),
    ]
    result.sections = [one for one in result.sections if one.lines or one.pictures]
    result.summary = [held(verdicts(standard)), *vector_words(times)]
    return result


def measured(settings: Settings, size: Size, context: Context) -> tuple[Times, dict[str, UserError]]:
    """(times, what could not be compiled or run, by name)"""
    folder = context.results / "studies" / "data-layouts"
    jobs = list(variants.variants(settings, size))
    context.say(f"compiling {len(jobs)} programs, unless {folder} has them")
    built, failed = compilers.each(jobs, lambda one: variants.build(one, size, folder))
    running, broken = variants.checked(built, size, settings.sum_tolerance)
    times = Times({}, {})
    for own in variants.by_set(running, size.sets):
        times = times.joined(variants.timed(own, size, context.say))
    if not times.seconds:
        raise UserError("no program could be compiled and run", str(next(iter((failed | broken).values()))))
    return times, {one.name: error for one, error in (failed | broken).items()}


def time_rows(times: Times) -> list[Row]:
    return [
        Row(f"time/{variant.name}", None, statistics.median(values), "s", "measured")
        for variant, values in times.seconds.items()
    ]


def relative_rows(standard: list[Column], stated: dict[str, Column]) -> list[Row]:
    """Each time over the fastest of its table."""
    rows = []
    for column in standard:
        medians = shown.medians(column)
        beside = stated[column.beside].rounds[0] if column.beside else {}
        for (layout, kernel), value in medians.items():
            published = beside[layout, kernel] / min(beside.values()) if beside else None
            ours = value / min(medians.values())
            rows.append(Row(f"relative/{column.name}/{layout}{kernel}", published, ours, "1", "measured"))
    return rows


def rule_rows(standard: list[Column], stated: dict[str, Column]) -> list[Row]:
    rows = []
    for column in standard:
        for rule in rules.RULES:
            if (found := rules.found(rule, column.rounds, column.pointer)) is None:
                continue
            beside = stated.get(column.beside)
            published = beside and rules.found(rule, beside.rounds, beside.pointer)
            value = published.value if published else None
            rows.append(Row(f"rule/{rule.name}/{column.name}", value, found.value, "1", "measured"))
    return rows


def verdicts(standard: list[Column]) -> dict[str, dict[str, str]]:
    """By column and rule."""
    told: dict[str, dict[str, str]] = {}
    for column in standard:
        for rule in rules.RULES:
            if found := rules.found(rule, column.rounds, column.pointer):
                told.setdefault(column.name, {})[rule.name] = rule.verdict(found)
    return told


def fastest(times: Times) -> tuple[Variant, Variant] | None:
    """(the fastest compiled program, the fastest explicit form)"""
    order = sorted(times.seconds, key=lambda one: statistics.median(times.seconds[one]))
    compiled = [one for one in order if one.layout != BEST]
    explicit = [one for one in order if one.layout == BEST]
    return (compiled[0], explicit[0]) if compiled and explicit else None


def gain(times: Times) -> Interval | None:
    """The fastest compiled program against the fastest explicit form."""
    both = fastest(times)
    return both and ratio_interval(*(times.seconds[one] for one in reversed(both)))


def vector_rows(times: Times) -> list[Row]:
    rows = []
    for variant, ceilings in times.ceilings.items():
        own = statistics.median(times.seconds[variant])
        for name, values in ceilings.items():
            part = statistics.median(values)
            rows.append(Row(f"ceiling/{variant.name}/{name}", None, part, "s", "measured"))
        share = shown.ceiling(ceilings) / own
        rows.append(Row(f"ceiling/{variant.name}/share", None, share, "1", "measured"))
    if found := gain(times):
        rows.append(Row("explicit vectors/gain", None, found.value, "1", "measured"))
    return rows


def vector_words(times: Times) -> list[str]:
    both, found = fastest(times), gain(times)
    if not both or not found:
        return []
    compiled, explicit = both
    share = shown.ceiling(times.ceilings[explicit]) / statistics.median(times.seconds[explicit])
    return [
        f"Explicit vectors are {found.value:.2f} ({found.low:.2f} to {found.high:.2f}) times as fast as the fastest of "
        f"{sum(one.layout != BEST for one in times.seconds)} compiled programs, {compiled.name}, and reach "
        f"{100.0 * share:.0f} % of their ceiling."
    ]
