"""Trajectories with stability matrices, compiled and run here beside the published times: options, and threads inside a trajectory or over them."""

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.run.campaign.plan import Layout
from hakaru.studies.analyses import Context
from hakaru.studies.launches import launched
from hakaru.studies.published import Cells, Published
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import number
from hakaru.studies.study import Study

from . import variants
from .settings import Settings
from .variants import PUBLISHED_STYLE, Timing, Variant

__all__ = ["Settings", "run"]

Seconds = dict[Variant, list[float]]
XEON = 4  # number of the machine


def run(study: Study[Settings], context: Context) -> Result:
    """Raises UserError when nothing can be compiled or variants do not compute the same."""
    settings, result = study.settings, Result(assumptions=list(study.settings.assumptions))
    result.sections.append(published_section(study.published))
    with tempfile.TemporaryDirectory(prefix="hakaru-study-") as folder:
        for degrees in settings.all_degrees:
            seconds = measured(settings, degrees, Path(folder), context)
            result.rows += option_rows(study, degrees, seconds) + thread_rows(study, degrees, seconds)
            result.sections.append(options_section(degrees, seconds))
            result.sections.append(threads_section(degrees, seconds))
    if settings.beyond:
        result.rows += app_rows(study, context)
    result.summary = summary(study, result)
    return result


def measured(settings: Settings, degrees: int, folder: Path, context: Context) -> Seconds:
    context.say(f"compiling the variants of {degrees} degrees of freedom")
    every = settings.beyond is not None
    options = settings.all_options
    wanted = [
        *variants.serial(degrees, options, every),
        *variants.threaded(degrees, options[-1], settings.all_threads, every),
    ]
    built = [variants.build(one, folder) for one in wanted]
    variants.require_same(built)
    timing = Timing(settings.trajectories, settings.sample_s, settings.rounds, settings.samples)
    return variants.timed(built, timing, context.say)


def ratio(seconds: Seconds, slow: Variant, fast: Variant) -> float:
    """Median over rounds of the ratio within a round."""
    return statistics.median(a / b for a, b in zip(seconds[slow], seconds[fast], strict=True))


def settings_of_builds(published: Published) -> Iterator[tuple[str, dict[int, float]]]:
    """Of each published build that was run with several threads: its name, the times by threads."""
    builds: dict[str, dict[int, float]] = {}
    for row in published.table("times").rows:
        if row["parallel_build"]:
            name = f"{row['cpu']}, {row['compiler']}: {row['options']}"
            builds.setdefault(name, {})[int(row["threads"])] = float(row["time"])
    return ((name, times) for name, times in builds.items() if 1 in times and len(times) > 1)


def published_extremes(published: Published, threads: int) -> tuple[float, float] | None:
    """Least and largest published time with so many threads, as a multiple of the same build's with one."""
    ratios = [times[threads] / times[1] for _, times in settings_of_builds(published) if threads in times]
    return (min(ratios), max(ratios)) if ratios else None


def option_rows(study: Study[Settings], degrees: int, seconds: Seconds) -> list[Row]:
    """What options gain for the published loops, and what other loops gain then."""
    usual, last = study.settings.options[0], study.settings.options[-1]
    rows = []
    for compiler in variants.found():
        one, other = (Variant(compiler, PUBLISHED_STYLE, option, degrees) for option in (usual, last))
        published = published_gain(study.published) if degrees == study.settings.degrees else None
        name = f"gain/{degrees}/{compiler}"
        rows.append(Row(f"{name}/options", published, ratio(seconds, one, other), "1", "measured"))
        for style in variants.styles(compiler, every=True):
            exchanged = Variant(compiler, style, last, degrees)
            if style != PUBLISHED_STYLE and exchanged in seconds:
                rows.append(Row(f"{name}/{style}", None, ratio(seconds, other, exchanged), "1", "measured"))
    return rows


def published_gain(published: Published) -> float:
    """Of Fujitsu's chosen options on the Xeon 5160, one thread."""
    times = [
        float(row["time"])
        for row in published.table("times").rows
        if (row["machine"], row["compiler"], row["threads"]) == (XEON, "fujitsu", 1)
    ]
    return times[0] / times[-1]


def thread_ratio(seconds: Seconds, variant: Variant, threads: int) -> float:
    """Time with so many threads over that of the same build with one."""
    many, one = (
        Variant(variant.compiler, variant.style, variant.options, variant.degrees, variant.threading, number)
        for number in (threads, 1)
    )
    return ratio(seconds, many, one)


def single_builds(seconds: Seconds) -> list[Variant]:
    return [one for one in seconds if one.threading != "none" and one.threads == 1]


def thread_rows(study: Study[Settings], degrees: int, seconds: Seconds) -> list[Row]:
    rows = []
    for threads in study.settings.all_threads:
        if threads == 1:
            continue
        for one in single_builds(seconds):
            name = f"threads/{degrees}/{one.compiler}/{one.style}/{one.threading}/{threads}"
            rows.append(Row(name, None, thread_ratio(seconds, one, threads), "1", "measured"))
        automatic = [
            thread_ratio(seconds, one, threads)
            for one in single_builds(seconds)
            if one.threading == "automatic"
        ]
        extremes = published_extremes(study.published, threads)
        if automatic and extremes:
            for name, stated, ours in (
                ("least", extremes[0], min(automatic)),
                ("largest", extremes[1], max(automatic)),
            ):
                rows.append(
                    Row(f"automatic/{degrees}/{threads} threads/{name}", stated, ours, "1", "measured")
                )
    return rows


def published_section(published: Published) -> Section:
    rows: tuple[Cells, ...] = published.table("times").rows
    lines = [
        [
            str(row["cpu"]),
            str(row["compiler"]),
            str(row["options"]),
            "yes" if row["parallel_build"] else "no",
            str(row["threads"]),
            units.quantity(float(row["time"]), "s"),
        ]
        for row in rows
    ]
    columns = ["processor", "compiler", "options", "parallelised", "threads", "time"]
    return Section("The published times", [f"All {len(rows)}, of nine processors."], [], columns, lines)


def options_section(degrees: int, seconds: Seconds) -> Section:
    lines = [
        [one.compiler, one.style, one.options, units.quantity(statistics.median(values), "s")]
        for one, values in seconds.items()
        if one.threading == "none"
    ]
    columns = ["compiler", "loops", "options", "time of a step"]
    words = ["One trajectory's step, one thread; medians over rounds."]
    return Section(f"Options, {degrees} degrees of freedom", words, [], columns, lines)


def threads_section(degrees: int, seconds: Seconds) -> Section:
    lines = []
    for one in single_builds(seconds):
        found = sorted(
            other.threads
            for other in seconds
            if (other.compiler, other.style, other.threading) == (one.compiler, one.style, one.threading)
        )
        ratios = ", ".join(f"{number}: {thread_ratio(seconds, one, number):.2f}" for number in found)
        time = units.quantity(statistics.median(seconds[one]), "s")
        lines.append([one.compiler, one.style, one.threading, time, ratios])
    columns = ["compiler", "loops", "threads", "one thread", "time by threads, over one"]
    words = ["Above one: slower than one thread of the same build."]
    return Section(f"Threads, {degrees} degrees of freedom", words, [], columns, lines)


def app_rows(study: Study[Settings], context: Context) -> list[Row]:
    """The same question to the app, whose products are in vectors; layouts that are refused are left out."""
    rows = []
    entry = study.programs[0]
    for degrees in study.settings.all_degrees:
        trajectories = max(64, 2_000_000 // degrees**2 // 8)
        for threading in ("over", "inside"):
            one = None
            for threads in study.settings.all_threads:
                context.say(f"the app, {degrees} degrees of freedom, threads {threading}: {threads}")
                words = {"n": degrees, "trajectories": trajectories, "threading": threading}
                try:
                    record = launched(entry, Layout(1, threads), context, words, repetitions=5, warmup=1)[1]
                except UserError as problem:
                    context.say(str(problem))
                    continue
                if not (spent := record.wall_s):
                    continue
                one = one or spent
                name = f"app/{degrees}/{threading}/{threads}"
                rows.append(Row(name, None, spent / one, "1", "measured"))
    return rows


def summary(study: Study[Settings], result: Result) -> list[str]:
    lines = []
    for row in result.of("automatic/"):
        beside = "" if row.published is None else f", published {number(row.published)}"
        lines.append(f"{row.id}: {number(row.ours)} times one thread's time{beside}.")
    for degrees in study.settings.all_degrees:
        for threading in ("inside", "over"):
            found = [
                row.ours
                for row in result.of(f"threads/{degrees}/")
                if row.id.endswith(f"/{threading}/2") and row.ours is not None
            ]
            if found:
                lines.append(
                    f"{degrees} degrees of freedom, 2 threads {threading}: {min(found):.2f} to {max(found):.2f} "
                    "times one thread's time."
                )
    for row in result.of("app/"):
        lines.append(f"{row.id}: {number(row.ours)} times one thread's time.")
    return lines
