"""Exact sets of bytes: sorted, disjoint half-open intervals as arrays of shape (n, 2)."""

from collections.abc import Sequence

import numpy as np

Intervals = np.ndarray
NONE = np.empty((0, 2), dtype=np.uint64)


def pieces(begin: int, length: int, stride: int, count: int) -> Intervals:
    """[begin + i stride, begin + i stride + length) for i < count; they may overlap."""
    begins = np.uint64(begin) + np.arange(count, dtype=np.uint64) * np.uint64(stride)
    return np.stack([begins, begins + np.uint64(length)], axis=1)


def union(parts: Sequence[Intervals]) -> Intervals:
    """Sorted and disjoint; neighbours that touch are one."""
    given = [part for part in parts if len(part)]
    if not given:
        return NONE
    every = np.concatenate(given)
    every = every[every[:, 1] > every[:, 0]]
    if not len(every):
        return NONE
    every = every[np.argsort(every[:, 0], kind="stable")]
    reach = np.maximum.accumulate(every[:, 1])
    first = np.concatenate([[True], every[1:, 0] > reach[:-1]])
    last = np.concatenate([first[1:], [True]])
    return np.stack([every[first, 0], reach[last]], axis=1)


def several(owned: Sequence[Intervals]) -> Intervals:
    """What lies in at least two of the sets, each sorted and disjoint."""
    given = [part for part in owned if len(part)]
    if len(given) < 2:
        return NONE
    every = np.concatenate(given)
    places = np.concatenate([every[:, 0], every[:, 1]])
    steps = np.concatenate([np.ones(len(every), np.int64), -np.ones(len(every), np.int64)])
    order = np.lexsort((steps, places))  # ends before begins
    depth = np.cumsum(steps[order])
    at = places[order]
    deep = depth[:-1] >= 2
    return union([np.stack([at[:-1][deep], at[1:][deep]], axis=1)])


def without(taken: Intervals, begin: int, end: int) -> Intervals:
    """[begin, end) without a set that is sorted and disjoint."""
    if end <= begin:
        return NONE
    inside = np.clip(taken.astype(np.uint64), np.uint64(begin), np.uint64(end))
    begins = np.concatenate([[np.uint64(begin)], inside[:, 1]])
    ends = np.concatenate([inside[:, 0], [np.uint64(end)]])
    begins = np.maximum.accumulate(begins)
    found = np.stack([begins, ends], axis=1)
    return found[found[:, 1] > found[:, 0]]


def cut(part: Intervals, end: int) -> Intervals:
    """What lies before ``end``."""
    kept = np.minimum(part, np.uint64(end))
    return kept[kept[:, 1] > kept[:, 0]]


def meets(part: Intervals, begin: int, end: int) -> bool:
    return begin < end and bool(np.any((part[:, 0] < np.uint64(end)) & (part[:, 1] > np.uint64(begin))))


def size(part: Intervals) -> int:
    return int((part[:, 1] - part[:, 0]).sum()) if len(part) else 0
