"""Loops that compilers of today are asked to vectorise: what they say, and what it gains, beside the published scores."""

from hakaru.base.errors import UserError
from hakaru.studies import compilers
from hakaru.studies.analyses import Context
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import scores, shown, variants
from .scores import Score
from .settings import Settings

__all__ = ["Settings", "run"]


def run(study: Study[Settings], context: Context) -> Result:
    """Runs on one core of this machine; programs are kept in the results folder. Raises UserError when nothing can be compiled."""
    settings, result = study.settings, Result(assumptions=list(study.settings.assumptions))
    size = settings.beyond or settings.trial
    folder = context.results / "studies" / study.name
    with_driver = variants.driver(folder)
    jobs = list(variants.variants(settings, size))
    context.say(f"compiling {len(jobs)} programs, unless {folder} has them")
    built, failed = compilers.each(jobs, lambda one: variants.build(one, folder, with_driver))
    right, wrong = variants.checked(built, settings.tolerance)
    if not right:
        raise UserError("no loop could be compiled and run", str(next(iter((failed | wrong).values()))))
    seconds = variants.timed(right.items(), size, context.say)
    found = scores.scores(variants.claims(right), seconds)
    result.rows = rows(found)
    failures = {one.name: error for one, error in (failed | wrong).items()}
    result.sections = shown.sections(study, found, failures)
    result.summary = shown.words(found, failures)
    return result


def rows(found: list[Score]) -> list[Row]:
    """Counts by compiler and set, and the speed-up of each loop that was timed."""
    told = []
    for column, own in shown.columns(found).items():
        counts = shown.counts(own)
        told += [
            Row(f"{name}/{column}", None, float(count), "1", "measured") for name, count in counts.items()
        ]
        told += [
            Row(f"speed-up/{one.variant.name}", None, one.speed_up.value, "1", "measured")
            for one in own
            if one.speed_up
        ]
    return told
