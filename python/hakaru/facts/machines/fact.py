"""A fact of a machine: a value with its unit, interval and source, and what it is about (schema/machine.schema.json)."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from hakaru.base.statistics import median_interval

Entry = dict[str, Any]  # the table of a machine file
Keys = dict[str, Any]  # what a fact is about


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """``low`` and ``high`` are the ends of the 95 % interval, ``samples`` is how many values the median is of, ``best`` the best of
    them, ``residual`` the largest relative miss of a fit; ``keys`` say what it is about: {"cores": 2, "kernel": "triad"}."""

    best: float | None = None
    residual: float | None = None
    note: str | None = None
    value: float | int | str
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    samples: int | None = None
    source: str | None = None
    keys: Keys = {}

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "Fact":
        """From the table of a machine file."""
        own = {name: entry[name] for name in FIELDS if name in entry}
        return cls(**own, keys=keys_of(entry))

    @classmethod
    def measured(
        cls,
        samples: Sequence[float] | float | str,
        unit: str | None,
        record_ids: str | Sequence[str],
        low: float | None = None,
        high: float | None = None,
        count: int | None = None,
        **keys: Any,
    ) -> "Fact":
        """The median of raw ``samples`` with its distribution-free 95 % interval, in ``unit`` (SI base).

        A single number or a text is taken as it is; ``low`` and ``high`` then give an interval found otherwise (a fit's bootstrap) of ``count`` samples.
        ``record_ids`` are the probe records it rests on. Raises ValueError for samples that are not finite.
        """
        told = {name: keys.pop(name) for name in ("best", "residual", "note") if name in keys}
        ids = [record_ids] if isinstance(record_ids, str) else list(record_ids)
        source = "probe " + ", ".join(ids)
        if isinstance(samples, str):
            return cls(value=samples, source=source, keys=keys, **told)
        unit = unit or "1"
        if isinstance(samples, int | float) or not hasattr(samples, "__len__"):
            value = _plain(samples)
            ends = {} if low is None or high is None else {"low": _plain(low), "high": _plain(high)}
            return cls(value=value, unit=unit, **ends, samples=count, source=source, keys=keys, **told)
        summary = median_interval([_plain(sample) for sample in samples])
        return cls(
            value=summary.value,
            unit=unit,
            low=summary.low,
            high=summary.high,
            samples=summary.count,
            source=source,
            keys=keys,
            **told,
        )

    def as_dict(self) -> Entry:
        """The table of a machine file: keys first."""
        own = {name: getattr(self, name) for name in FIELDS}
        return self.keys | {name: value for name, value in own.items() if value is not None}

    @property
    def is_number(self) -> bool:
        return isinstance(self.value, int | float)

    @property
    def lowest(self) -> float:
        """Lower end of its interval, or the value where it has none."""
        return self.value if self.low is None else self.low

    @property
    def highest(self) -> float:
        return self.value if self.high is None else self.high

    @property
    def sure_value(self) -> float:
        """Its value, or zero where its interval reaches zero."""
        return self.value if self.lowest > 0.0 or self.highest < 0.0 else 0.0

    @property
    def has_interval(self) -> bool:
        return self.low is not None and self.high is not None

    @property
    def is_rate(self) -> bool:
        """More of it is better: B/s, flop/s, 1/s."""
        return (self.unit or "").endswith("/s")

    @property
    def is_cost(self) -> bool:
        """A time, or a time for each byte."""
        return self.unit in ("s", "s/B")

    def about(self, **keys: Any) -> bool:
        """Whether its keys have these values."""
        return all(self.keys.get(name) == value for name, value in keys.items())

    def with_value(self, value: float | str) -> "Fact":
        return msgspec.structs.replace(self, value=value)

    def times(self, factor: float) -> "Fact":
        """Value and interval multiplied; the source says so."""
        ends = {name: end * factor for name in ("low", "high") if (end := getattr(self, name)) is not None}
        source = f"{self.source}, times {factor:g}"
        return msgspec.structs.replace(self, value=self.value * factor, **ends, source=source)


FIELDS = tuple(name for name in Fact.__struct_fields__ if name != "keys")


def keys_of(entry: Mapping[str, Any]) -> Keys:
    """What the table of a fact says it is about: {"cores": 2, "kernel": "triad"}."""
    return {name: value for name, value in entry.items() if name not in FIELDS}


def _plain(number: Any) -> int | float:
    """A Python number (numpy scalars have no place in a file). Raises ValueError when it is not finite."""
    if isinstance(number, bool) or not math.isfinite(number):
        raise ValueError(f"{number!r} is not a finite number")
    return int(number) if isinstance(number, int) else float(number)


def fact(*arguments: Any, **keys: Any) -> Entry:
    """``Fact.measured`` as the table of a machine file, for a probe's ``distil``."""
    return Fact.measured(*arguments, **keys).as_dict()
