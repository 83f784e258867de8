"""Quantities as people write them: ``2us``, ``10Gbit/s``, ``0.1ns/B``, in the SI unit of a fact."""

import math
import re
from decimal import Decimal

_PREFIX = {
    "": 1.0,
    "n": 1e-9,
    "u": 1e-6,
    "µ": 1e-6,
    "μ": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
}
_BINARY_PREFIX = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_BASE = {"s": ("s", 1.0), "B": ("B", 1.0), "bit": ("B", 0.125), "flop": ("flop", 1.0), "Hz": ("Hz", 1.0), "W": ("W", 1.0), "J": ("J", 1.0)}  # fmt: skip
_LONG_TIMES = {"min": 60.0, "h": 3600.0}
_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*?)\s*$")


def _scale_of(word: str) -> tuple[str, float]:
    """SI base unit and factor of one unit with its prefix: ``us`` -> (s, 1e-6). Raises ValueError."""
    if word in _LONG_TIMES:
        return "s", _LONG_TIMES[word]
    for name, (base, factor) in _BASE.items():
        prefix = word.removesuffix(name)
        if prefix != word or word == name:
            if prefix in _PREFIX:
                return base, factor * _PREFIX[prefix]
            if prefix in _BINARY_PREFIX and base == "B":
                return base, factor * _BINARY_PREFIX[prefix]
    raise ValueError(f"'{word}' is no unit that is known")


def factor(word: str, unit: str) -> float:
    """How many ``unit`` there are in one ``word``: 1e-6 s in a ``us``. Raises ValueError, in words."""
    found, scale = _scale_of(word)
    if found != unit:
        raise ValueError(f"'{word}' is in '{found}', and '{unit}' is needed")
    return scale


def parse(text: str, unit: str) -> float:
    """The number that a person wrote, in the SI unit ``unit``: ``2us``, ``10Gbit/s``, ``64KiB``, ``0.1ns/B``, ``5%``.

    A bare number is in ``unit`` itself. A rate in B/s also stands for a time per byte in s/B, its inverse. Raises ValueError, in words,
    for what is no number, for an unknown unit and for a unit of another kind.
    """
    match = _NUMBER.match(text)
    if not match:
        raise ValueError(f"'{text}' does not begin with a number")
    value, name = float(match[1]), match[2]
    if not math.isfinite(value):
        raise ValueError(f"'{text}' is not finite")
    if not name:
        return value
    if name == "%":
        found, factor = "1", 0.01
    else:
        above, slash, below = name.partition("/")
        found, factor = ("1", 1.0) if above in ("", "1") else _scale_of(above)
        if slash:
            base, divisor = _scale_of(below)
            found, factor = f"{found}/{base}", factor / divisor
    if found == "B/s" and unit == "s/B":
        if value <= 0.0:
            raise ValueError(f"'{text}' is no rate")
        return 1.0 / (value * factor)
    if found != unit:
        wanted = f"'{unit}'" if unit not in ("", "1") else "a plain number"
        raise ValueError(f"'{text}' is in '{found}', and {wanted} is needed")
    return value * factor


def exact(text: str, base: str) -> Decimal:
    """The number that a person wrote with a unit of ``base`` (``s`` or ``B``), in it: decimal, so that ``100us`` is the number nearest to 1e-4.

    Only zero needs no unit. Raises ValueError in words.
    """
    match = _NUMBER.match(text)
    if not match or match[1].startswith("-"):
        raise ValueError("it is not a number with a unit")
    value, name = Decimal(match[1]), match[2]
    if not name and value:
        raise ValueError("its unit is missing")
    try:
        found, factor = _scale_of(name) if name else (base, 1.0)
    except ValueError:
        found, factor = "", 1.0
    if found != base:
        raise ValueError(f"the unit '{name}' is not known")
    return value * Decimal(str(factor))
