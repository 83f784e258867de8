"""What the publication concludes (chapters 4 and 5), as ratios of CPU times between programs that differ in what is concluded about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hakaru.base.ratios import ratio_interval
from hakaru.base.statistics import Interval, median_interval
from hakaru.studies.conclusions import ALIKE, MUCH_SLOWER, SLOWER, Bounds, geometric_mean

from .description import LIST, NEWLINE, STARS

ROWS = "GNU C: dynamic arrays against static (programs 1, 3, 5, 7)"
TWO_D = "C and C++, 2-D dynamic arrays (programs 5, 7, 11): GNU"
SUN_2D = "C and C++, 2-D dynamic arrays (programs 5, 7, 11): Fujitsu and Sun"
ONE_D = "Sun Fortran: 1-D arrays (13 to 18) against 2-D (19 to 24)"
DERIVED = "Sun Fortran, dynamic arrays in a structure (programs 17, 23)"
CPP_WRITE = "C++ (programs 9 to 12) against the other languages"
CPP_WRITE_HX = "C and Fortran against C++"
C_WRITE = "Fujitsu: C against Fortran"
UNFORMATTED = "Sun Fortran, programs 14, 16, 20, 22 against the other Fortran programs"


@dataclass(frozen=True)
class Rule:
    """Programs of ``slow`` against those of ``fast``, pair by pair, by their names. ``items``: of the publication's table of statements."""

    name: str
    words: str
    phase: str
    slow: tuple[str, ...]
    fast: tuple[str, ...]
    bounds: Bounds
    items: tuple[str, ...] = ()


def numbers(*found: int) -> tuple[str, ...]:
    return tuple(map(str, found))


C_ALL, CPP_ALL, FORTRAN = numbers(*range(1, 9)), numbers(9, 10, 11, 12), numbers(*range(13, 25))
FORMATTED = numbers(13, 15, 19, 21)
RULES = (
    Rule(
        "dynamic arrays in C",
        "C: dynamic arrays are slower than static ones (1, 3, 5, 7 against 2, 4, 8, 6).",
        "compute",
        numbers(1, 3, 5, 7),
        numbers(2, 4, 8, 6),
        SLOWER,
        (ROWS,),
    ),
    Rule(
        "arrays of pointers",
        "C and C++: two-dimensional dynamic arrays, which are arrays of pointers, are much slower (5, 7, 11 against 8, 6, 12).",
        "compute",
        numbers(5, 7, 11),
        numbers(8, 6, 12),
        MUCH_SLOWER,
        (TWO_D, SUN_2D),
    ),
    Rule(
        "one-dimensional Fortran",
        "Fortran: one-dimensional arrays are much slower than two-dimensional ones (13 to 18 against 19 to 24).",
        "compute",
        numbers(13, 14, 15, 16, 17, 18),
        numbers(19, 20, 21, 22, 23, 24),
        MUCH_SLOWER,
        (ONE_D,),
    ),
    Rule(
        "dynamic derived types",
        "Fortran: dynamic arrays in a derived type are much slower (17, 23 against 13, 19).",
        "compute",
        numbers(17, 23),
        numbers(13, 19),
        MUCH_SLOWER,
        (DERIVED,),
    ),
    Rule(
        "classes",
        "C++ is slower than C (9, 10, 12 against 3, 4, 6).",
        "compute",
        numbers(9, 10, 12),
        numbers(3, 4, 6),
        SLOWER,
    ),
    Rule(
        "C like Fortran",
        "Without arrays of pointers C is about as fast as Fortran (1 to 4, 8, 6 against 13, 15, 17, 18, 21, 24).",
        "compute",
        numbers(1, 2, 3, 4, 8, 6),
        numbers(13, 15, 17, 18, 21, 24),
        ALIKE,
    ),
    Rule(
        "output of C++",
        "C++ writes much slower than C and Fortran (9 to 12 against 3, 4, 23, 24).",
        "write",
        CPP_ALL,
        numbers(3, 4, 23, 24),
        MUCH_SLOWER,
        (CPP_WRITE, CPP_WRITE_HX),
    ),
    Rule(
        "endl",
        "The cause: a line is flushed by endl (9 against 9 with a newline).",
        "write",
        ("9",),
        (f"9, {NEWLINE}",),
        MUCH_SLOWER,
    ),
    Rule(
        "output of Fortran",
        "Fortran writes slower than C (13, 15, 17, 18 against 1, 2, 3, 4).",
        "write",
        numbers(13, 15, 17, 18),
        numbers(1, 2, 3, 4),
        SLOWER,
        (C_WRITE,),
    ),
    Rule(
        "unformatted output",
        "Fortran: unformatted output is slower than formatted (14, 16, 20, 22 against 13, 15, 19, 21).",
        "write",
        numbers(14, 16, 20, 22),
        FORMATTED,
        SLOWER,
        (UNFORMATTED,),
    ),
    Rule(
        "list-directed output",
        "A reading of the table: not formatted means write (17, *) (14 so against 13).",
        "write",
        (f"14, {LIST}",),
        ("13",),
        SLOWER,
        (UNFORMATTED,),
    ),
    Rule(
        "stars",
        "The printed f20.6, which cannot hold most of the results, gains time (13 against 13 as printed).",
        "write",
        ("13",),
        (f"13, {STARS}",),
        SLOWER,
    ),
)

Seconds = Mapping[str, Sequence[float]]  # by name of the program


def found(rule: Rule, seconds: Seconds) -> Interval | None:
    """The ratio, a geometric mean over pairs; None where a program is missing. A single pair has the interval of its samples, several that of
    rounds."""
    if any(name not in seconds for name in (*rule.slow, *rule.fast)):
        return None
    if len(rule.slow) == 1:
        return ratio_interval(seconds[rule.fast[0]], seconds[rule.slow[0]])
    pairs = list(zip(rule.slow, rule.fast, strict=True))
    rounds = range(len(seconds[rule.slow[0]]))
    return median_interval(
        [geometric_mean(seconds[slow][one] / seconds[fast][one] for slow, fast in pairs) for one in rounds]
    )
