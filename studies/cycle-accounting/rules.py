"""What the publication's slides say, asked of our times."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hakaru.base.ratios import ratio_interval
from hakaru.base.statistics import Interval, median_interval
from hakaru.studies.conclusions import LITTLE, MUCH_SLOWER, SLOWER, Bounds

from . import accounting
from .loops import AFTER, BEFORE, KERNELS, NEAR
from .variants import Times, Variant

LINES = "16 columns at a time"
SHARE, HALVED = 2.0 / 3.0, 2.0  # of case 3, as published

Forms = dict[str, Variant]  # of a case at a size, by one compiler
Value = Callable[[Times, Forms], Interval | None]


def around(value: float) -> Bounds:
    """No great difference from it."""
    return Bounds(value / LITTLE, value * LITTLE)


def gain(times: Times, forms: Forms) -> Interval | None:
    return accounting.gain(times, forms[BEFORE], forms[AFTER])


def wait_before(times: Times, forms: Forms) -> Interval | None:
    return accounting.wait_share(times, forms[BEFORE])


def wait_ratio(times: Times, forms: Forms) -> Interval | None:
    return accounting.wait_ratio(times, forms[BEFORE], forms[AFTER])


def barrier(times: Times, forms: Forms) -> Interval | None:
    """Share of the threads' time that they wait for the last one, before less after."""
    pairs = zip(times.waited[forms[BEFORE]], times.waited[forms[AFTER]], strict=True)
    return median_interval([before - after for before, after in pairs])


def sharing(times: Times, forms: Forms) -> Interval | None:
    """A column at a time against several."""
    return ratio_interval(times.seconds[forms[LINES]], times.seconds[forms[AFTER]])


@dataclass(frozen=True)
class Rule:
    """``value`` of a ``case``; ``published``: the same of the publication, where it says a number."""

    name: str
    case: str
    words: str
    value: Value
    bounds: Bounds
    published: float | None = None


RULES = (
    Rule("1 padding", "padding", "Padding takes sharply less time: before against after.", gain, MUCH_SLOWER),
    Rule(
        "2 prefetch", "prefetch", "A prefetch of an indirect read helps: before against after.", gain, SLOWER
    ),
    Rule(
        "3 share",
        "fusion",
        "Before, two thirds of the time go into reaching arrays: the wait for data.",
        wait_before,
        around(SHARE),
        SHARE,
    ),
    Rule("3 halved", "fusion", "Fusion halves that time.", wait_ratio, around(HALVED), HALVED),
    Rule("3 fusion", "fusion", "Peeling and fusion help: before against after.", gain, SLOWER),
    Rule("4 cyclic", "triangle", "Columns dealt out one by one help: before against after.", gain, SLOWER),
    Rule(
        "4 barrier",
        "triangle",
        "They even out the wait at the barrier: its share before, less after, at least a tenth.",
        barrier,
        Bounds(low=0.1),
    ),
    Rule(
        "4 sharing",
        "triangle",
        "One column at a time shows false sharing: against sixteen at a time.",
        sharing,
        SLOWER,
    ),
    Rule("5 merging", "merging", "Merged arrays help an indirect sum: before against after.", gain, SLOWER),
    Rule("6 tiling", "tiling", "Tiles help a transpose: before against after.", gain, SLOWER),
)

LARGEST = Bounds(low=0.0)  # of accounting.lead


@dataclass(frozen=True)
class Finding:
    rule: str
    size: str
    compiler: str
    value: Interval
    bounds: Bounds
    published: float | None = None

    @property
    def column(self) -> str:
        return f"{self.compiler}, {self.size}" if self.size else self.compiler

    @property
    def verdict(self) -> str:
        return self.bounds.verdict(self.value)


def groups(times: Times) -> dict[tuple[str, str, str], Forms]:
    """Forms by case, size and compiler; without those near."""
    found: dict[tuple[str, str, str], Forms] = {}
    names = {rule.case for rule in RULES}
    for one in times.seconds:
        if one.loop in names and one.size != NEAR:
            found.setdefault((one.loop, one.size, one.compiler.name), {})[one.form] = one
    return found


def findings(times: Times) -> Iterator[Finding]:
    """Of the kernels, then of the cases; a rule whose forms are not all there is left out."""
    for kernel, compiler, rounds in accounting.kernels_of(times):
        yield Finding(kernel.name, "", compiler, accounting.lead(kernel, rounds), LARGEST)
    for (case, size, compiler), forms in groups(times).items():
        for rule in RULES:
            if (
                rule.case != case
                or not {BEFORE, AFTER, *([LINES] if rule.value is sharing else [])} <= forms.keys()
            ):
                continue
            if rule.value is barrier and forms[BEFORE] not in times.waited:
                continue
            if (value := rule.value(times, forms)) is not None:
                yield Finding(rule.name, size, compiler, value, rule.bounds, rule.published)


def kernel_words() -> str:
    shows = ", ".join(f"{one.name} ({one.shows})" for one in KERNELS)
    return f"Kernels show what they are made for, as the largest part of their cycles: {shows}."
