"""The page of the study: the publication's explanation, times, ratios, pages, the fast form."""

import statistics
from collections.abc import Mapping

from hakaru.base import units
from hakaru.studies.published import Published
from hakaru.studies.result import Result, Row, Section
from hakaru.studies.shown import error, number
from hakaru.studies.told import Told

from .settings import Size
from .variants import Seconds, Variant


def model_section(result: Result) -> Section:
    """Predictions of the published tables."""
    rows = result.of("times/") + result.of("large pages/")
    lines = [
        [
            row.id,
            units.quantity(row.published or 0.0, "s") if row.unit == "s" else f"{row.published:g} MB",
            units.quantity(row.ours or 0.0, "s") if row.unit == "s" else f"{row.ours:g} MB",
            error(row),
            row.kind,
        ]
        for row in rows
    ]
    words = [
        "The publication's own explanation as a model: the thread with most iterations ends last; stacks of threads take large pages, a "
        "segment at a time, and C takes them inside of what is timed.",
    ]
    return Section(
        "What explains the published tables",
        words,
        [],
        ["what", "published", "model", "error", "kind"],
        lines,
    )


def times_section(published: Published, seconds: Seconds, size: Size) -> Section:
    lines = [
        [
            variant.compiler.name,
            variant.form,
            variant.values,
            variant.order,
            str(variant.threads),
            variant.pages,
            units.quantity(statistics.median(values), "s"),
        ]
        for variant, values in seconds.items()
    ]
    words = [
        f"Of the loop over {size.image}^3 points, wall time, medians over {size.rounds} rounds in turns. Published, one thread: "
        + ", ".join(
            f"{name} {value:g} s"
            for name, value in published.table("times").rows[0].items()
            if isinstance(value, float)
        )
    ]
    columns = ["compiler", "filter", "values", "order", "threads", "pages", "time"]
    return Section("Times here", words, [], columns, lines)


def ratios_section(result: Result) -> Section:
    lines = [
        [row.id.removeprefix("ratio/"), number(row.published), number(row.ours), error(row)]
        for row in result.of("ratio/")
    ]
    words = [
        "Medians of ratios of times; threads are over one thread. Published: of that section's own machine."
    ]
    return Section("Ratios", words, [], ["of", "published", "ours", "difference"], lines)


def pages_section(said: Mapping[Variant, Told], seconds: Seconds, segments: list[Row], size: Size) -> Section:
    """What the kernel gave, by its own word."""
    lines = []
    for one, told in said.items():
        if one.pages == "base" and (one.form, one.values, one.order, one.threads) != (
            "inline",
            "integer",
            "as printed",
            1,
        ):
            continue
        sizes = [units.quantity(told.number(name), "B") for name in ("resident", "transparent", "large")]
        lines.append(
            [one.compiler.name, one.pages, *sizes, units.quantity(statistics.median(seconds[one]), "s")]
        )
    words = [
        "Bytes of both arrays after the loop, as /proc/self/smaps counts them.",
        f"Fresh memory, {size.segment_mib} MiB written once: "
        + ", ".join(f"{row.id.partition('/')[2]} pages {row.ours:.3f} s/GB" for row in segments)
        + ". The publication says 0.15 to 0.2 s for a segment of 1 GB of large pages.",
    ]
    columns = ["compiler", "asked for", "in memory", "transparent", "from the pool", "time"]
    return Section("Pages", words, [], columns, lines)


def fast_section(rows: list[Row]) -> Section:
    lines = [
        [
            row.id.removeprefix("app ").removeprefix("app/"),
            units.quantity(row.ours or 0.0, "s") if row.unit == "s" else number(row.ours),
        ]
        for row in rows
    ]
    words = [
        "The app median_filter, all points with edges, a pass; gains over the fastest program of the published form on as many threads, by the point."
    ]
    return Section("The fast form", words, [], ["what", "here"], lines)


def failures_section(failed: Mapping[str, str]) -> Section:
    lines = [[name, why] for name, why in failed.items()]
    return Section("What could not be compiled or run", ["The rest went on."], [], ["program", "why"], lines)


def summary(result: Result) -> list[str]:
    lines = []
    for row in result.of("not the median/as printed"):
        lines.append(
            f"The comparisons as printed do not sort: {100.0 * (row.ours or 0.0):.0f} % of the points, {row.id.rsplit('/', 1)[1]}, "
            "are not the median of their window."
        )
    for row in [*result.of("pages/"), *result.of("fresh memory/")]:
        lines.append(f"{row.id}: {number(row.ours)} {'' if row.unit == '1' else row.unit}".rstrip() + ".")
    for row in result.of("app/"):
        if "gain" in row.id:
            lines.append(f"{row.id.removeprefix('app/')}: {number(row.ours)} times faster.")
    return lines
