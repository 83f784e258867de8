"""Values that a program prints, found by regular expressions line by line, in files of any length."""

import math
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import regex

from hakaru.base import quantities
from hakaru.facts.programs.file import Take

LONGEST_LINE = 65536  # characters of a line that are looked at
PATIENCE_S = 2.0  # for one pattern on one line


class NotFound(Exception):
    """Says in words why a value is not there."""


@dataclass(frozen=True)
class Wanted:
    """``text``: the value may be a word; else it is a number."""

    what: str
    pattern: str
    take: Take = "last"
    text: bool = False


def lines_of(*paths: Path) -> Iterator[str]:
    """Lines of the files that there are, cut where they are longer than is looked at."""
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace", newline=None) as file:
                while line := file.readline(LONGEST_LINE):
                    yield line.rstrip("\n")
                    while line and not line.endswith("\n"):
                        line = file.readline(LONGEST_LINE)
        except FileNotFoundError:
            continue


def find(wanted: Iterable[Wanted], lines: Iterable[str]) -> dict[Wanted, float | str | NotFound]:
    """The value of each, or why there is none; one pass over the lines."""
    patterns = {one: regex.compile(one.pattern) for one in wanted}
    seen: dict[Wanted, list[str]] = {one: [] for one in patterns}
    failed: dict[Wanted, NotFound] = {}
    for line in lines:
        for one, pattern in patterns.items():
            if one in failed:
                continue
            try:
                match = pattern.search(line, timeout=PATIENCE_S)
            except TimeoutError:
                failed[one] = NotFound(
                    f"the pattern '{one.pattern}' for {one.what} took longer than {PATIENCE_S:g} s on a line of {len(line)} "
                    "characters: repeats inside of repeats try every split"
                )
                continue
            if match and match[1] is not None:
                _keep(seen[one], match[1], one.take)
    return {one: failed.get(one) or _value(one, seen[one]) for one in patterns}


def _keep(found: list[str], text: str, take: Take) -> None:
    """Only what will be looked at: a program may print a million."""
    if take == "last":
        found[:] = [text]
    elif take != "first" or not found:
        found.append(text)


def _value(one: Wanted, found: list[str]) -> float | str | NotFound:
    if not found:
        return NotFound(f"it printed no {one.what}: no line matches '{one.pattern}'")
    if one.text:
        return found[-1].strip()
    values = [number(text) for text in found]
    if None in values:
        return NotFound(f"it printed '{found[values.index(None)]}' as {one.what}, which is no number")
    return {"sum": math.fsum, "largest": max}.get(one.take, statistics.fmean)(values)


def number(text: str) -> float | None:
    """Of decimal text, also with Fortran's exponent; None for anything else and for what is not finite."""
    try:
        value = float(text.strip().replace("D", "E").replace("d", "e").replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def seconds(value: float | str | NotFound, unit: str) -> float:
    """Raises NotFound for what is no time."""
    if isinstance(value, NotFound):
        raise value
    if value < 0.0:
        raise NotFound(f"it printed {value:g} as a time, which is negative")
    return value * quantities.factor(unit, "s")
