"""Sets of bytes against sets of integers."""

from functools import reduce

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hakaru.run.tracing import intervals

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # other work beside it
PART = st.tuples(st.integers(0, 30), st.integers(0, 8), st.integers(0, 9), st.integers(0, 5))


def bytes_of(part) -> set[int]:
    return {byte for begin, end in part for byte in range(int(begin), int(end))}


@CALM
@given(st.lists(PART, max_size=6))
def test_union(parts):
    made = [intervals.pieces(*part) for part in parts]
    found = intervals.union(made)
    assert bytes_of(found) == reduce(set.union, map(bytes_of, made), set())
    assert np.all(found[1:, 0] > found[:-1, 1]), "sorted, disjoint, not touching"


@CALM
@given(st.lists(st.lists(PART, max_size=4), max_size=4))
def test_several(owners):
    owned = [intervals.union([intervals.pieces(*part) for part in parts]) for parts in owners]
    sets = [bytes_of(one) for one in owned]
    wanted = {byte for one in sets for byte in one if sum(byte in other for other in sets) >= 2}
    assert bytes_of(intervals.several(owned)) == wanted


@CALM
@given(st.lists(PART, max_size=6), st.integers(0, 40), st.integers(0, 40))
def test_without_and_cut(parts, begin, end):
    taken = intervals.union([intervals.pieces(*part) for part in parts])
    assert bytes_of(intervals.without(taken, begin, end)) == set(range(begin, end)) - bytes_of(taken)
    assert bytes_of(intervals.cut(taken, end)) == {byte for byte in bytes_of(taken) if byte < end}
    assert intervals.meets(taken, begin, end) == bool(bytes_of(taken) & set(range(begin, end)))
    assert intervals.size(taken) == len(bytes_of(taken))
