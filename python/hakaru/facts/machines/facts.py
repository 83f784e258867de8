"""Facts: a value with its unit, interval and source; trees of them."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from hakaru.base.statistics import median_interval


def fact(
    samples: Sequence[float] | float | str,
    unit: str | None,
    record_ids: str | Sequence[str],
    low: float | None = None,
    high: float | None = None,
    **keys: Any,
) -> dict[str, Any]:
    """A measured fact: the median of raw ``samples`` with its distribution-free 95 % interval, in ``unit`` (SI base).

    A single number or a text is taken as it is; ``low`` and ``high`` then give an interval found otherwise (a fit's bootstrap).
    ``record_ids`` are the probe records it rests on; ``keys`` say what it is a fact about (cores=2, kernel="triad").
    Raises ValueError for samples that are not finite.
    """
    ids = [record_ids] if isinstance(record_ids, str) else list(record_ids)
    source = "probe " + ", ".join(ids)
    if isinstance(samples, str):
        return {**keys, "value": samples, "source": source}
    if isinstance(samples, int | float) or not hasattr(samples, "__len__"):
        value = _plain(samples)
        interval = {} if low is None or high is None else {"low": _plain(low), "high": _plain(high)}
        return {**keys, "value": value, "unit": unit or "1", **interval, "source": source}
    numbers = [_plain(sample) for sample in samples]
    summary = median_interval(numbers)
    return {
        **keys,
        "value": summary.value,
        "unit": unit or "1",
        "low": summary.low,
        "high": summary.high,
        "samples": summary.count,
        "source": source,
    }


def _plain(number: Any) -> int | float:
    """A Python number (numpy scalars have no place in a file). Raises ValueError when it is not finite."""
    if isinstance(number, bool) or not math.isfinite(number):
        raise ValueError(f"{number!r} is not a finite number")
    return int(number) if isinstance(number, int) else float(number)


def is_fact(node: Any) -> bool:
    return isinstance(node, dict) and "value" in node


def walk(tree: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """(path, fact) of every fact in a tree; several facts of one array share a path and differ by their keys."""
    for name, node in tree.items():
        here = f"{path}.{name}" if path else name
        if is_fact(node):
            yield here, node
        elif isinstance(node, dict):
            yield from walk(node, here)
        elif isinstance(node, list):
            for entry in node:
                if is_fact(entry):
                    yield here, entry
                elif isinstance(entry, dict):
                    label = entry.get("name", "")
                    yield from walk(
                        {k: v for k, v in entry.items() if isinstance(v, dict | list)}, f"{here}[{label}]"
                    )


NOT_KEYS = {"value", "unit", "low", "high", "source", "samples", "note", "best", "residual"}


def keys_of(entry: dict[str, Any]) -> dict[str, Any]:
    """What a fact of an array is about: {"cores": 2, "kernel": "triad"}."""
    return {name: value for name, value in entry.items() if name not in NOT_KEYS}


def find(machine: dict[str, Any], path: str, **keys: Any) -> dict[str, Any] | None:
    """The first fact at ``path`` whose keys have these values, or None: find(m, "memory.bandwidth", kernel="triad", cores=1)."""
    for here, entry in walk(machine):
        if here == path and all(entry.get(name) == value for name, value in keys.items()):
            return entry
    return None
