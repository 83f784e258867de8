"""The published filter, compiled and run here beside the published times and the app; the publication's explanation as a model of them."""

import statistics
from collections.abc import Iterator
from pathlib import Path

from hakaru.base.errors import UserError
from hakaru.base.ratios import ratio_interval
from hakaru.facts.records import Record
from hakaru.run.campaign.plan import Layout
from hakaru.studies import compilers
from hakaru.studies.analyses import Context
from hakaru.studies.launches import launched
from hakaru.studies.result import Result, Row
from hakaru.studies.study import Study

from . import model, shown, variants
from .settings import Settings, Size
from .variants import MENDED, PRINTED, VALUES, Seconds, Variant

__all__ = ["Settings", "run"]

COLUMN = {"inline": "inline", "procedure": {"c": "function", "fortran": "subroutine"}}
TYPE = {"integer": "int", "real": "float"}
MIB = 2**20
APP_PASSES = 20
APP_VALUES = {"integer": "integer", "double": "real"}


def run(study: Study[Settings], context: Context) -> Result:
    """Raises UserError when nothing can be compiled or programs do not compute the same."""
    settings = study.settings
    size = settings.beyond or settings.trial
    result = Result(basis=study.basis, assumptions=list(settings.assumptions))
    result.add(model.rows(study.published, settings.model))
    folder = context.results / "studies" / "median-filter"
    said, failed, seconds = measured(settings, size, folder, context)
    result.add(time_rows(seconds) + ratio_rows(study, seconds) + page_rows(said, seconds))
    result.add(wrong_rows(said))
    segments, no_segments = segment_rows(size, folder)
    result.add(segments)
    apps, no_apps = [], {}
    if settings.beyond:
        apps, no_apps = app_page_rows(study, context, size)
        apps = app_rows(study, context, size, seconds) + apps
    result.add(apps)
    result.sections = [
        shown.model_section(result),
        shown.times_section(study.published, seconds, size),
        shown.ratios_section(result),
        shown.pages_section(said, seconds, segments, size),
        shown.fast_section(apps),
        shown.failures_section(
            {one.name: str(error) for one, error in failed.items()} | no_segments | no_apps
        ),
    ]
    result.sections = [one for one in result.sections if one.lines]
    result.summary = shown.summary(result)
    return result


def measured(settings: Settings, size: Size, folder: Path, context: Context):
    """(what each variant said, why others could not, seconds by variant)"""
    wanted = list(variants.variants(size))
    programs = list(dict.fromkeys(one.program for one in wanted))
    context.say(f"compiling {len(programs)} programs, unless {folder} has them")
    built, failed = compilers.each(
        programs, lambda one: variants.build(one, size, settings.mask, settings.flags, folder)
    )
    if not built:
        raise next(iter(failed.values()))
    said, broken = variants.checked({one: built[one.program] for one in wanted if one.program in built})
    running = {one: built[one.program] for one in said}
    return said, failed | broken, variants.timed(running, size.rounds, context.say)


def time_rows(seconds: Seconds) -> list[Row]:
    return [
        Row(f"time/{variant.name}", None, statistics.median(values), "s", "measured")
        for variant, values in seconds.items()
    ]


def published_time(study: Study[Settings], variant: Variant) -> float | None:
    language = variant.compiler.language
    form = "inline" if variant.form == "inline" else COLUMN["procedure"][language]
    column = f"{language}_{form}_{TYPE[variant.values]}"
    return model.published_times(study.published, column).get(variant.threads)


def pairs(seconds: Seconds) -> Iterator[tuple[str, Variant, Variant]]:
    """(what the ratio says, the numerator, the denominator) of programs as printed on base pages."""
    plain = [one for one in seconds if one.order == PRINTED and one.pages == "base"]
    for one in plain:
        for other in plain:
            alike = (one.form == other.form, one.values == other.values, one.threads == other.threads)
            name = f"{one.form}/{one.values}/{one.threads}"
            if one.compiler == other.compiler:
                if alike == (True, True, False) and other.threads == 1:
                    yield f"threads/{one.compiler.name}/{name}", one, other
                if alike == (False, True, True) and other.form == "inline":
                    yield f"procedure over inline/{one.compiler.name}/{one.values}/{one.threads}", one, other
                if alike == (True, False, True) and other.values == "integer":
                    yield f"real over integer/{one.compiler.name}/{one.form}/{one.threads}", one, other
            elif all(alike) and (one.compiler.language, other.compiler.language) == ("fortran", "c"):
                yield f"{one.compiler.name} over {other.compiler.name}/{name}", one, other


def ratio_rows(study: Study[Settings], seconds: Seconds) -> list[Row]:
    """Ratios of times, beside the published ones."""
    rows = []
    for name, one, other in pairs(seconds):
        above, below = published_time(study, one), published_time(study, other)
        stated = above / below if above and below else None
        rows.append(
            Row(f"ratio/{name}", stated, ratio_interval(seconds[other], seconds[one]).value, "1", "measured")
        )
    return rows


def page_rows(said, seconds: Seconds) -> list[Row]:
    """What the kernel gave, and what it gained, of programs that were run with several kinds of pages."""
    rows = []
    for one in seconds:
        plain = Variant(one.compiler, one.form, one.values, one.order, one.threads)
        if one.pages == "base" or plain not in seconds:
            continue
        given = said[one].number("transparent") + said[one].number("large")
        share = given / said[one].number("resident")
        name = f"{one.compiler.name}/{one.pages}"
        gain = ratio_interval(seconds[plain], seconds[one]).value
        rows.append(Row(f"pages/{name}/large share", None, share, "1", "measured"))
        rows.append(Row(f"pages/{name}/time over base pages", None, gain, "1", "measured"))
    return rows


def wrong_rows(said) -> list[Row]:
    """The share of points that are not the median of their window, by the order of comparisons; of the first compiler."""
    rows = []
    for order in (PRINTED, MENDED):
        for values in VALUES:
            own = [one for one in said if (one.order, one.values) == (order, values)]
            if own:
                share = said[own[0]].number("different") / said[own[0]].number("looked_at")
                rows.append(Row(f"not the median/{order}/{values}", None, share, "1", "measured"))
    return rows


def segment_rows(size: Size, folder: Path) -> tuple[list[Row], dict[str, str]]:
    """(seconds that writing a GB of fresh memory takes, by kind of pages; kinds that the kernel has not)"""
    rows, failed = [], {}
    for kind in dict.fromkeys(("base", *size.pages)):
        try:
            spent = variants.segment_seconds(size, kind, folder)
        except UserError as error:
            failed[f"fresh memory in {kind} pages"] = str(error)
            continue
        per_gb = statistics.median(spent) * 1e9 / (size.segment_mib * MIB)
        rows.append(Row(f"fresh memory/{kind}", None, per_gb, "s/GB", "measured"))
    return rows, failed


def app_rows(study: Study[Settings], context: Context, size: Size, seconds: Seconds) -> list[Row]:
    """The fast form, a point, beside the fastest program of the published form with the same values and threads."""
    rows = []
    interior = (size.image - study.settings.mask + 1) ** 3
    for kind, values in APP_VALUES.items():
        for threads in size.threads:
            point_s = of_point(app_record(study, context, size, threads, values=kind))
            rows.append(Row(f"app/{kind}/{threads}/time of a point", None, point_s, "s", "measured"))
            for order in (PRINTED, MENDED):
                own = [
                    statistics.median(spent)
                    for one, spent in seconds.items()
                    if (one.values, one.order, one.threads) == (values, order, threads)
                ]
                if own:
                    gain = min(own) / interior / point_s
                    rows.append(Row(f"app/{kind}/{threads}/gain over {order}", None, gain, "1", "measured"))
    return rows


def app_page_rows(study: Study[Settings], context: Context, size: Size) -> tuple[list[Row], dict[str, str]]:
    """(the fast form by kind of pages, with the share of large ones that the kernel gave; kinds that it has not)"""
    rows, failed = [], {}
    for kind in ("base", *size.pages):
        try:
            record = app_record(study, context, size, 1, pages=kind)
        except UserError as error:
            failed[f"the app in {kind} pages"] = str(error)
            continue
        told = record.rows("pages")[-1]
        share = (told["transparent"] + told["large"]) / told["resident"]
        rows.append(Row(f"app pages/{kind}/time of a point", None, of_point(record), "s", "measured"))
        rows.append(Row(f"app pages/{kind}/large share", None, share, "1", "measured"))
    return rows, failed


def app_record(study: Study[Settings], context: Context, size: Size, threads: int, **more: str) -> Record:
    words = {"nx": size.image, "passes": APP_PASSES, **more}
    return launched(study.programs[0], Layout(1, threads), context, words, repetitions=5, warmup=1)[1]


def of_point(record: Record) -> float:
    """Seconds, the median of the repetitions. Raises UserError when the record has no rate."""
    rate = record.metric("rate")
    if rate is None or not rate.samples:
        raise UserError("the record of the app has no rate", "the app is another one", "build it again")
    return 1.0 / statistics.median(rate.samples)
