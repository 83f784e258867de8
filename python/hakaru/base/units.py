"""Numbers for people: files hold SI base units; display scales them, and people may write them scaled (MB = 10^6 B, MiB = 2^20 B)."""

import math
from typing import Protocol

from hakaru.base import quantities
from hakaru.base.errors import UserError

_TIME = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_DECIMAL = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
_BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B"))
_SCALED = ("B", "B/s", "flop", "flop/s", "Hz", "1/s", "W", "J")
_DIGITS = 3


def digits(value: float, significant: int = _DIGITS) -> str:
    """``value`` with so many digits or all those before the point, and no exponent: 0.0123, 1.23, 1234."""
    if not math.isfinite(value):
        return "unbounded" if value > 0 else "not a number"
    if value == 0.0:
        return "0"
    if abs(value) >= 10.0**significant:
        return f"{value:.0f}"
    decimals = significant - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    decimals = max(0, significant - 1 - math.floor(math.log10(abs(rounded)))) if rounded else 0
    return f"{rounded:.{decimals}f}"


def _time_scale(value_s: float) -> tuple[float, str]:
    size = abs(value_s)
    if size >= 7200.0:
        return 3600.0, "h"
    if size >= 600.0:
        return 60.0, "min"
    return next(((scale, name) for scale, name in _TIME if size >= 0.9995 * scale), _TIME[-1])


def seconds(value_s: float) -> str:
    """A time: ``12.3 ms``."""
    if value_s == 0.0:
        return "0 s"
    scale, name = _time_scale(value_s)
    return f"{digits(value_s / scale)} {name}"


def seconds_range(low_s: float, high_s: float) -> str:
    """Two times with one unit: ``12.1 to 12.6 ms``."""
    scale, name = _time_scale(high_s)
    return f"{digits(low_s / scale)} to {digits(high_s / scale)} {name}"


class WithInterval(Protocol):
    """A value with its bounds."""

    value: float
    low: float
    high: float


def seconds_interval(interval: WithInterval) -> str:
    """A ``value`` with its ``low`` and ``high``, one unit: ``12.3 ms (12.1 to 12.6)``."""
    if interval.low == interval.high:
        return seconds(interval.value)
    scale, name = _time_scale(interval.high)
    value, low, high = (digits(time_s / scale) for time_s in (interval.value, interval.low, interval.high))
    return f"{value} {name} ({low} to {high})"


def quantity(value: float, unit: str) -> str:
    """A number with its unit: ``15.2 GB/s``, ``39.1 Gflop/s``; units that are not SI base units are not
    scaled.
    """
    if unit == "s":
        return seconds(value)
    if unit == "s/B":
        return f"{digits(value * 1e9)} ns/B"
    if unit in ("", "1"):
        return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else digits(value)
    if unit not in _SCALED:
        return f"{digits(value)} {unit}"
    scale, prefix = next(((s, p) for s, p in _DECIMAL if abs(value) >= 0.9995 * s), (1.0, ""))
    return f"{digits(value / scale)} {prefix}{unit}"


def capacity(value_bytes: float) -> str:
    """A capacity with a binary prefix: ``32 KiB``, ``1.5 MiB``."""
    scale, name = next(((s, n) for s, n in _BINARY if abs(value_bytes) >= s), _BINARY[-1])
    scaled = value_bytes / scale
    return f"{scaled:.0f} {name}" if scaled == int(scaled) else f"{digits(scaled)} {name}"


def percent(fraction: float) -> str:
    """A fraction: ``83 %``; one decimal below 10 %."""
    value = 100.0 * fraction
    if not math.isfinite(value):
        return "unknown"
    return f"{value:.1f} %" if 0.0 < abs(value) < 9.95 else f"{value:.0f} %"


def signed_percent(fraction: float) -> str:
    """A deviation: ``+4.2 %``, ``-11 %``."""
    value = 100.0 * fraction
    return f"{value:+.1f} %" if abs(value) < 9.95 else f"{value:+.0f} %"


def tick(text: str) -> str:
    """A formatted quantity without the zeros that end its fraction: ``20.0 GB/s`` becomes ``20 GB/s``."""
    number, _, unit = text.partition(" ")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} {unit}".strip()


def count(number: int, noun: str, plural: str | None = None) -> str:
    """``1 run``, ``3 runs``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def shown(value: float, unit: str) -> str:
    """A fact's value for a table: a capacity in bytes with a binary prefix, anything else as a quantity."""
    return capacity(value) if unit == "B" else quantity(value, unit)


def parse_seconds(text: str) -> float:
    """A time as people write it, in s: ``100us``, ``1.5 ms``, ``0``. Raises UserError for anything else, a missing unit too."""
    try:
        return float(quantities.exact(text, "s"))
    except ValueError as error:
        raise UserError(f"'{text}' is not a time", str(error), "write it like 100us, 1.5ms or 2s") from None


def parse_rate(text: str) -> float | None:
    """A rate of data as people write it, in B/s: ``1Gbit``, ``100 Mbit/s``, ``125MB/s``; None for ``unlimited`` and ``0``.

    Prefixes are decimal; a bit is an eighth of a byte. Raises UserError for anything else, a missing unit too."""
    if text.strip() == "unlimited":
        return None
    try:
        return float(quantities.exact(text.strip().removesuffix("/s"), "B")) or None
    except ValueError as error:
        raise UserError(
            f"'{text}' is not a rate", str(error), "write it like 1Gbit, 100Mbit/s, 125MB/s or unlimited"
        ) from None
