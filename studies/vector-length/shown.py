"""The page of the study: Hockney's two numbers, lengths at which threads pay, what the publication says."""

from hakaru.base import units
from hakaru.base.statistics import Interval
from hakaru.studies.conclusions import LITTLE
from hakaru.studies.result import Section
from hakaru.studies.shown import number
from hakaru.tell.charts import vector_length

from . import rules
from .vectors import Vectors

FLOPS_OF_EXPONENTIAL = 25


def rates_section(languages: list[Vectors]) -> Section:
    section = Section(
        "Highest rates, and the lengths at half of them",
        [
            "r_inf and n_1/2 (Hockney and Jesshope) by a line through the times in half of the first cache, one core; "
            "empty where no line fits within 30 %.",
            f"The exponential by the published count of {FLOPS_OF_EXPONENTIAL} operations; gather and scatter count results.",
        ],
        columns=["kernel", "language", "r_inf", "n_1/2", "95 % interval"],
    )
    for one in languages:
        for kernel in one.operations:
            section.lines.append([kernel, one.language, *_rate(one, kernel)])
    return section


def _rate(one: Vectors, kernel: str) -> tuple[str, str, str]:
    if kernel not in one.rates:
        return "", "", ""
    rate, half = one.rates[kernel], one.halves[kernel]
    times = FLOPS_OF_EXPONENTIAL if kernel == rules.LONGER else 1
    unit = "/s" if rate.unit == "1/s" and times == 1 else "flop/s"
    interval = f"{half.low:.1f} to {half.high:.1f}" if half.low is not None else ""
    return units.quantity(times * float(rate.value), unit), f"{half.value:.1f}", interval


def threads_section(languages: list[Vectors]) -> Section:
    section = Section(
        "From which length threads pay",
        ["Inner: all cores share a vector. Outer: each has one. Empty: never, up to the longest vector."],
        columns=["kernel", "language", "cores", "inner", "outer"],
    )
    for one in languages:
        for kernel in one.operations:
            found = [one.evens.get((kernel, way)) for way in ("inner", "outer")]
            if one.cores > 1:
                cells = [number(float(fact.value)) if fact else "" for fact in found]
                section.lines.append([kernel, one.language, str(one.cores), *cells])
    return section


def rules_section(languages: list[Vectors]) -> Section:
    section = Section(
        "What the publication says",
        [
            f"A difference of less than {100 * (LITTLE - 1):.0f} % is little.",
            *(f"{rule.name.capitalize()}: {rule.words}" for rule in rules.RULES),
        ],
        columns=["rule", "language", "here", "95 % interval", "so it"],
    )
    for rule in rules.RULES:
        for one in languages:
            section.lines.append([rule.name, one.language, *_told(rule.value(one)), rule.verdict(one)])
    return section


def _told(found: Interval | None) -> tuple[str, str]:
    return (
        (number(found.value), f"{number(found.low)} to {number(found.high)}")
        if found
        else ("not measured", "")
    )


def curves_section(rows: list) -> Section:
    """Rates and gains by length, as the report draws them."""
    pictures = [(picture, vector_length.explanation) for picture in vector_length.pictures(rows)]
    return Section("Curves", [], pictures)
