"""The Wilson operator in several styles, compiled and run here: copies counted, times beside each other."""

import statistics
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hakaru.base import units
from hakaru.studies.analyses import Context
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.study import Study

from . import variants
from .settings import Settings
from .variants import Built, Variant

__all__ = ["Settings", "run"]

BOTH = "small problem, tuned at RIKEN RSCC (October 2005)"
SUBROUTINES = "matrix-vector product, module operators partly rewritten as subroutines"
Seconds = Mapping[Variant, list[float]]


def run(study: Study[Settings], context: Context) -> Result:
    """Runs on one core of this machine. Raises UserError when nothing can be compiled or variants do not compute the same."""
    settings, result = study.settings, Result(assumptions=list(study.settings.assumptions))
    with tempfile.TemporaryDirectory(prefix="hakaru-study-") as folder:
        for extent in (settings.extent, *(settings.beyond or ())):
            context.say(f"compiling the variants for {extent}^4 sites")
            wanted = list(variants.variants(extent))
            built = variants.all_built(wanted, settings.flags, Path(folder), context.say)
            variants.require_same(built)
            seconds = variants.timed(
                built, settings.application_s, settings.rounds, settings.samples, context.say
            )
            result.rows += copy_rows(study, built) + time_rows(seconds) + gain_rows(study, seconds)
            result.sections.append(section(extent, built, seconds))
    result.summary = summary(result)
    return result


def copy_rows(study: Study[Settings], built: list[Built]) -> list[Row]:
    rows = [Row(f"copies/{one.variant.name}", None, one.copies, "1", "measured") for one in built]
    stated = study.published.number("copy", "item", "bytes copied per call", "value")
    for one in built:
        if one.copies and one.variant.extent == study.settings.extent:
            rows.append(
                Row(f"bytes of a copy/{one.variant.name}", stated, one.bytes / one.copies, "B", "measured")
            )
    return rows


def time_rows(seconds: Seconds) -> list[Row]:
    return [
        Row(f"time/{variant.name}", None, statistics.median(values), "s", "measured")
        for variant, values in seconds.items()
    ]


def ratio(seconds: Seconds, slow: Variant, fast: Variant) -> float:
    """Median over rounds of the ratio within a round."""
    return statistics.median(a / b for a, b in zip(seconds[slow], seconds[fast], strict=True))


def published_gain(study: Study[Settings], case: str) -> float:
    before, after = (study.published.number("times", "case", case, when) for when in ("before", "after"))
    return before / after


def gain_rows(study: Study[Settings], seconds: Seconds) -> list[Row]:
    """What the published steps gain here, for every compiler of Fortran, and the same for C++."""
    rows = []
    styles = {
        "fortran": ("functions", "subroutines"),
        "c++": ("operators by value", "functions that fill an argument"),
    }
    for compiler in dict.fromkeys(variant.compiler for variant in seconds):
        extent = next(iter(seconds)).extent
        returning, filling = styles[compiler.language]
        slowest = Variant(compiler, returning, "outermost", extent)
        slow, fast = (Variant(compiler, style, "innermost", extent) for style in (returning, filling))
        if not {slowest, slow, fast} <= seconds.keys():
            continue
        stated = extent == study.settings.extent and compiler.language == "fortran"
        for name, before, case in (
            ("loops and subroutines", slowest, BOTH),
            ("subroutines", slow, SUBROUTINES),
        ):
            published = published_gain(study, case) if stated else None
            ours = ratio(seconds, before, fast)
            rows.append(Row(f"gain/{extent}^4/{compiler.name}/{name}", published, ours, "1", "measured"))
    return rows


def section(extent: int, built: list[Built], seconds: Seconds) -> Section:
    fastest = min(statistics.median(values) for values in seconds.values())
    lines = []
    for one in built:
        median = statistics.median(seconds[one.variant])
        lines.append(
            [
                one.variant.compiler.name,
                one.variant.style,
                one.variant.colour,
                f"{one.copies:.0f}",
                units.quantity(one.bytes, "B"),
                units.quantity(median, "s"),
                f"{median / fastest:.2f}",
            ]
        )
    columns = ["compiler", "style", "loop over colours", "copies", "copied", "time", "over the fastest"]
    words = ["Of one application of the operator; copies are of whole fields. One core, medians over rounds."]
    return Section(f"{extent}^4 sites", words, [], columns, lines)


def summary(result: Result) -> list[str]:
    lines = []
    for row in result.of("gain/"):
        beside = "" if row.published is None else f", published {row.published:.2f}"
        lines.append(f"{row.id.partition('/')[2]}: {row.ours:.2f} times faster{beside}.")
    return lines
