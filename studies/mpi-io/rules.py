"""What the publication says of the ways of writing, as ratios of rates that can be asked of any machine."""

from collections.abc import Callable
from dataclasses import dataclass

from hakaru.base.statistics import Interval
from hakaru.studies.conclusions import ALIKE, LITTLE, MORE, Bounds

from .rates import CACHE, COLLECTIVE, DISK, INDEPENDENT, MASTER, SPLIT, STRIDED, Key, Rates


@dataclass(frozen=True)
class Rule:
    """``value`` of so many processes; None where it was not measured."""

    name: str
    words: str
    value: Callable[[Rates, int], Interval | None]
    bounds: Bounds


def ways(one: str, other: str, time: str, blocks: int = 1) -> Callable[[Rates, int], Interval | None]:
    return lambda rates, ranks: rates.ratio(Key(time, one, blocks, ranks), Key(time, other, blocks, ranks))


def growth(way: str, each: bool) -> Callable[[Rates, int], Interval | None]:
    """Contiguous data into the page cache, by all processes over by one; ``each``: of a process."""

    def value(rates: Rates, ranks: int) -> Interval | None:
        found = rates.ratio(Key(CACHE, way, 1, ranks), Key(CACHE, way, 1, 1))
        return divided(found, ranks) if found and each else found

    return value


def divided(one: Interval, by: float) -> Interval:
    return Interval(one.value / by, one.low / by, one.high / by, one.count, one.coverage)


def falls(rates: Rates, ranks: int) -> Interval | None:
    few, many = (Key(CACHE, INDEPENDENT, blocks, ranks) for blocks in (STRIDED[0], STRIDED[-1]))
    return rates.ratio(many, few)


SCALES = Bounds(low=1.0 / LITTLE)
SCALE_WORDS = "MPI-IO and split files scale: the rate of each process over that of one alone."
DISK_WORDS = "Equal to disk: split files, and the master, over MPI-IO, with the flush."
CONTIGUOUS = (
    Rule(
        "MPI-IO equals split files",
        "MPI-IO equals split files: its rate over theirs.",
        ways(INDEPENDENT, SPLIT, CACHE),
        ALIKE,
    ),
)
GROWTH = (
    Rule(
        "MPI-IO scales",
        SCALE_WORDS,
        growth(INDEPENDENT, each=True),
        SCALES,
    ),
    Rule(
        "split files scale",
        SCALE_WORDS,
        growth(SPLIT, each=True),
        SCALES,
    ),
    Rule(
        "master constant",
        "Master constant: its rate with all processes over that with one.",
        growth(MASTER, each=False),
        ALIKE,
    ),
)
TO_DISK = (
    Rule(
        "split files equal MPI-IO to disk",
        DISK_WORDS,
        ways(SPLIT, INDEPENDENT, DISK),
        ALIKE,
    ),
    Rule(
        "master equals MPI-IO to disk",
        DISK_WORDS,
        ways(MASTER, INDEPENDENT, DISK),
        ALIKE,
    ),
)
IN_TURNS = (
    *(
        Rule(
            f"collective effective with {blocks} blocks",
            "Collective effective: collective over independent MPI-IO, strided data.",
            ways(COLLECTIVE, INDEPENDENT, CACHE, blocks),
            Bounds(low=MORE),
        )
        for blocks in STRIDED
    ),
    Rule(
        "independent falls with blocks",
        f"Independent falls: independent MPI-IO with {STRIDED[-1]} blocks of each process over that with {STRIDED[0]}.",
        falls,
        Bounds(high=1.0 / MORE),
    ),
)


def asked(rates: Rates, ranks: int) -> tuple[Rule, ...]:
    """Nothing of a disk where there is none, nothing of growth or of turns where one process has all."""
    several = (*GROWTH, *IN_TURNS) if ranks > 1 else ()
    return (*CONTIGUOUS, *(TO_DISK if rates.has_disk else ()), *several)


@dataclass(frozen=True)
class Answer:
    rule: Rule
    ranks: int
    value: Interval

    @property
    def verdict(self) -> str:
        return self.rule.bounds.verdict(self.value)


def answers(rates: Rates) -> list[Answer]:
    """Of every number of processes."""
    found = []
    for ranks in sorted(rates.bytes):
        for rule in asked(rates, ranks):
            if value := rule.value(rates, ranks):
                found.append(Answer(rule, ranks, value))
    return found
