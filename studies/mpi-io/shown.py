"""The page of the study: statements, rates of contiguous and of strided data, where it was."""

import math
from collections.abc import Mapping, Sequence

from hakaru.base import units
from hakaru.base.errors import UserError
from hakaru.base.statistics import Interval
from hakaru.facts.records import Record
from hakaru.studies.conclusions import Bounds
from hakaru.studies.result import Section

from .rates import CACHE, COLLECTIVE, DIRECT, DISK, INDEPENDENT, MASTER, SPLIT, STRIDED, Key, Rates
from .rules import Answer

GB = 1e9
WAYS = (INDEPENDENT, SPLIT, MASTER)  # of contiguous data, as the publication timed them
WAYS_IN_TURNS = (INDEPENDENT, COLLECTIVE, MASTER)
CALLED = {
    INDEPENDENT: "MPI-IO",
    COLLECTIVE: "MPI-IO, collective",
    SPLIT: "split files",
    DIRECT: "split files past the page cache",
    MASTER: "I/O master",
}


def timed(rates: Rates) -> list[Key]:
    """What the publication timed, and was measured here."""
    keys = []
    for ranks in sorted(rates.bytes):
        times = (CACHE, DISK) if rates.has_disk else (CACHE,)
        keys += [Key(time, way, 1, ranks) for time in times for way in WAYS]
        keys += [Key(CACHE, way, blocks, ranks) for way in WAYS_IN_TURNS for blocks in STRIDED]
    return [key for key in keys if key in rates.launches]


def sections(
    rates: Rates,
    found: Sequence[Answer],
    published: Sequence[int],
    records: Sequence[Record],
    failures: Mapping[str, UserError],
) -> list[Section]:
    return [
        statements(rates, found),
        contiguous(rates),
        strided(rates, published),
        place(rates, records),
        missing(records, failures),
    ]


def processes(ranks: int) -> str:
    return units.count(ranks, "process", "processes")


def statements(rates: Rates, found: Sequence[Answer]) -> Section:
    words = [
        "Ratios of rates in the same round, with their 95 % intervals over rounds (the whole range where there are fewer than six). "
        "A statement is open where the interval reaches over a bound.",
        *dict.fromkeys(one.rule.words for one in found),
    ]
    lines = [
        [
            one.rule.name,
            processes(one.ranks),
            with_interval(one.value),
            bounds(one.rule.bounds),
            one.verdict,
        ]
        for one in found
    ]
    columns = ["statement", "here by", "ratio", "holds for", "verdict"]
    return Section("What the publication says", words, [], columns, lines)


def bounds(one: Bounds) -> str:
    if one.low == 0.0:
        return f"at most {one.high:.2f}"
    if one.high == math.inf:
        return f"at least {one.low:.2f}"
    return f"{one.low:.2f} to {one.high:.2f}"


def with_interval(one: Interval | None, scale: float = 1.0) -> str:
    """A value over ``scale`` and its interval; nothing where it was not measured."""
    if one is None:
        return ""
    value, low, high = (units.digits(number / scale) for number in (one.value, one.low, one.high))
    return f"{value} ({low} to {high})"


def contiguous(rates: Rates) -> Section:
    words = [
        "Page cache: the calls that write, with no disk in them. With the flush: the same and fsync or MPI_File_sync. "
        "Opening and closing are not timed. Medians and 95 % intervals over rounds.",
    ]
    lines = [
        [
            CALLED[way],
            processes(ranks),
            with_interval(rates.of(Key(CACHE, way, 1, ranks)) if way != DIRECT else None, GB),
            with_interval(rates.of(Key(DISK, way, 1, ranks)) if rates.has_disk else None, GB),
        ]
        for way in (*WAYS, DIRECT)
        for ranks in sorted(rates.bytes)
    ]
    columns = ["way", "by", "into the page cache, GB/s", "with the flush, GB/s"]
    return Section("Contiguous data", words, [], columns, lines)


def strided(rates: Rates, published: Sequence[int]) -> Section:
    """``published``: blocks in B, by growing number of them."""
    words = [
        "Blocks of the processes lie in turns in one file; GB/s into the page cache, which has no disk in it. "
        "One process has all turns, and its data are contiguous.",
        f"Published blocks, of 16 processes: {', '.join(map(units.capacity, published))}.",
    ]
    lines = []
    for way in WAYS_IN_TURNS:
        for ranks in sorted(rates.bytes):
            sizes = ", ".join(units.capacity(rates.bytes[ranks] // blocks) for blocks in STRIDED)
            own = [rates.of(Key(CACHE, way, blocks, ranks)) for blocks in STRIDED]
            told = [with_interval(one, GB) for one in own]
            lines.append([CALLED[way], processes(ranks), sizes, *told])
    named = [f"{blocks} blocks, GB/s" for blocks in STRIDED]
    return Section("Strided data", words, [], ["way", "by", "of", *named], lines)


def place(rates: Rates, records: Sequence[Record]) -> Section:
    if not rates.bytes:
        return Section("Where")
    environment = records[0].environment
    lines = [
        ["file system", f"{rates.file_system} ({rates.reach})"],
        ["processor", environment.cpu_model or ""],
        ["MPI", (environment.mpi_library or "").partition(",")[0]],
    ]
    for ranks, size in sorted(rates.bytes.items()):
        trials = units.count(rates.trials[ranks], "trial")
        lines.append([processes(ranks), f"{units.capacity(size)} each, {trials} a pattern"])
    words = [
        "Every file is new and verified byte by byte. The publication made 20 trials a length and removed outliers by eye; "
        "here none are removed, a launch counts by its median.",
    ]
    return Section("Where", words, [], ["what", "here"], lines)


def missing(records: Sequence[Record], failures: Mapping[str, UserError]) -> Section:
    """What no launch could do, and of the ways shown here what some could not."""
    lines = [[name, "", str(error)] for name, error in failures.items()]
    for record in records:
        for row in record.rows("missing"):
            if row["what"].rpartition(", ")[0] in CALLED:
                lines.append([processes(record.ranks), row["what"], row["why"]])
    unique = [list(one) for one in dict.fromkeys(map(tuple, lines))]
    return Section("Not measured here", ["The rest went on."], [], ["by", "what", "why"], unique)
