"""Sweeps that people write: ``network.node.latency=1us..100us:9`` is nine values, evenly spaced in the logarithm; ``0.5x..4x:4`` multiplies."""

import re
from dataclasses import dataclass

import numpy as np

from hakaru.base.errors import UserError
from hakaru.facts.machines import Machine
from hakaru.foretell.replay.settable import assignment, factor_of, parsed, scale, unit_of

MOST_VALUES = 200
DEFAULT_VALUES = 9
TIMES = "x"  # unit of a sweep over factors: the fact is multiplied
_UNIT_OF_END = re.compile(r"[-+0-9.eE\s]*(.*)$")


@dataclass(frozen=True)
class Sweep:
    """One fact and the values it takes, in its SI unit, or by which it is multiplied (unit ``x``)."""

    path: str
    unit: str
    values: tuple[float, ...]
    logarithmic: bool


def sweep(machine: Machine, word: str) -> Sweep:
    """``NAME=LOW..HIGH``, with ``:COUNT`` and then ``:lin`` or ``:log`` when wanted, or ``NAME=A,B,C``; ends such as ``0.5x``
    multiply the fact. Raises UserError in words.

    Values are spaced in the logarithm unless ``lin`` is asked for or one end is zero. A unit may stand at the upper end only.
    """
    path, text = assignment(word)
    unit = unit_of(machine, path)
    if unit == "text":
        raise UserError(f"{path} cannot be swept", "it is no number", "run once for each choice with --set")
    if ".." not in text:
        parts = text.split(",")
        unit = _unit(machine, path, word, parts, unit)
        values = tuple(_number(machine, path, part) for part in parts)
        return Sweep(path, unit, _checked(path, values), _is_logarithmic(values))
    ends, *rest = text.split(":")
    low_text, _, high_text = ends.partition("..")
    if not low_text.strip() or not high_text.strip():
        raise _unclear(word, "a range has two ends")
    if _bare(low_text) and not _bare(high_text):
        low_text += _UNIT_OF_END.match(high_text)[1]
    unit = _unit(machine, path, word, [low_text, high_text], unit)
    low, high = _number(machine, path, low_text), _number(machine, path, high_text)
    count, spacing = _rest(word, rest)
    if low == high:
        raise _unclear(word, "both ends are the same")
    logarithmic = spacing == "log" or (spacing is None and min(low, high) > 0.0)
    if logarithmic and min(low, high) <= 0.0:
        raise _unclear(word, "a logarithmic range cannot begin at zero")
    points = np.geomspace(low, high, count) if logarithmic else np.linspace(low, high, count)
    return Sweep(path, unit, _checked(path, tuple(float(point) for point in points)), logarithmic)


def _rest(word: str, parts: list[str]) -> tuple[int, str | None]:
    count, spacing = DEFAULT_VALUES, None
    for part in (part.strip() for part in parts):
        if part in ("lin", "log"):
            spacing = part
        elif part.isdigit() and 2 <= int(part) <= MOST_VALUES:
            count = int(part)
        else:
            raise _unclear(
                word, f"'{part}' is neither a number of values from 2 to {MOST_VALUES} nor lin nor log"
            )
    return count, spacing


def _bare(text: str) -> bool:
    return not _UNIT_OF_END.match(text)[1].strip()


def _unit(machine: Machine, path: str, word: str, texts: list[str], unit: str) -> str:
    """``x`` when all values are factors. Raises UserError for a mixture, and for factors of a fact that the machine has not."""
    factors = [factor_of(path, text) for text in texts]
    if all(factor is None for factor in factors):
        return unit
    if None in factors:
        raise _unclear(word, "factors such as 2x stand among values")
    scale(machine, path, 1.0)
    return TIMES


def _number(machine: Machine, path: str, text: str) -> float:
    factor = factor_of(path, text)
    return float(parsed(machine, path, text.strip())) if factor is None else factor


def _checked(path: str, values: tuple[float, ...]) -> tuple[float, ...]:
    unique = tuple(sorted(set(values)))
    if not 2 <= len(unique) <= MOST_VALUES:
        raise UserError(
            f"{path} takes {len(unique)} values", f"a sweep has 2 to {MOST_VALUES}", "give other ends"
        )
    return unique


def _is_logarithmic(values: tuple[float, ...]) -> bool:
    return min(values) > 0.0 and max(values) / min(values) >= 10.0


def _unclear(word: str, why: str) -> UserError:
    return UserError(
        f"the sweep '{word}' is not understood",
        why,
        "write NAME=LOW..HIGH:COUNT, such as network.node.latency=1us..100us:9",
    )
