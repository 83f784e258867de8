"""The Himeno benchmark compiled and run here, and as an app of ours, beside the speeds of twelve machines and compilers of 2010."""

import statistics

from hakaru.base.errors import UserError
from hakaru.studies import compilers
from hakaru.studies.analyses import Context
from hakaru.studies.conclusions import held
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import app, columns, rules, shown, variants
from .columns import Column
from .settings import Settings
from .variants import Speeds

__all__ = ["Settings", "run"]

BESIDE = {"gfortran": "Core i7 940, gnu"}  # whose numbers stand beside ours in rows


def run(study: Study[Settings], context: Context) -> Result:
    """Runs on this machine; programs are kept in the results folder. Raises UserError when nothing can be compiled and run."""
    settings, result = study.settings, Result(assumptions=list(study.settings.assumptions))
    wanted = settings.beyond or settings.trial
    speeds, failures = measured(study, context)
    stated = columns.published(study)
    own = columns.ours(speeds, variants.cores(wanted))
    result.rows = speed_rows(speeds, stated) + rule_rows(own, stated)
    result.sections = [
        shown.rules_section(own, stated),
        shown.speeds_section(own, stated),
        shown.failures_section(failures),
    ]
    result.sections = [one for one in result.sections if one.lines]
    result.summary = [held(verdicts(own))]
    return result


def measured(study: Study[Settings], context: Context) -> tuple[Speeds, dict[str, UserError]]:
    """(speeds, what could not be compiled or run, by name)"""
    settings = study.settings
    wanted = settings.beyond or settings.trial
    folder = context.results / "studies" / study.name
    jobs = list(variants.variants(wanted))
    context.say(f"compiling {len(jobs)} programs, unless {folder} has them")
    drivers = {one: variants.driver(folder, one) for one in variants.TYPES}
    built, failed = compilers.each(jobs, lambda one: variants.build(one, settings, folder, drivers))
    right, wrong = variants.checked(built, settings)
    launches, refused = app.launches(study, wanted, context)
    speeds = variants.timed(right, launches, settings, wanted, context.say)
    failures = {one.name: error for one, error in (failed | wrong).items()} | refused
    if not speeds:
        raise UserError("no program could be compiled and run", str(next(iter(failures.values()))))
    return speeds, failures


def speed_rows(speeds: Speeds, stated: list[Column]) -> list[Row]:
    by_name = {one.name: one.rounds[0] for one in stated}
    rows = []
    for name, values in speeds.items():
        mode, size, column = name.split("/", 2)
        beside = by_name[BESIDE[column]].get((mode, size)) if column in BESIDE else None
        rows.append(Row(f"speed/{name}", beside, statistics.median(values), "flop/s", "measured"))
    return rows


def rule_rows(own: list[Column], stated: list[Column]) -> list[Row]:
    by_name = {one.name: one for one in stated}
    rows = []
    for column in own:
        for rule in rules.RULES:
            if ours := rules.found(rule, column):
                beside = by_name.get(BESIDE.get(column.name, ""))
                published = rules.found(rule, beside) if beside else None
                value = published.value if published else None
                rows.append(Row(f"rule/{rule.name}/{column.name}", value, ours.value, "1", "measured"))
    return rows


def verdicts(own: list[Column]) -> dict[str, dict[str, str]]:
    told: dict[str, dict[str, str]] = {}
    for column in own:
        for rule in rules.RULES:
            if ours := rules.found(rule, column):
                told.setdefault(column.name, {})[rule.name] = rule.bounds.verdict(ours)
    return told
