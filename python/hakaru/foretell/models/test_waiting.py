"""Whether waits of several threads add, told by launches whose truth is known."""

import numpy as np
import pytest

from hakaru.facts.records import fixtures
from hakaru.foretell.models.waiting import share_that_adds


def launches(adding, count=12, waits=0.3, noise=0.02, work_s=1.0, **more):
    """Each of two ranks works for ``work_s`` and waits up to ``waits`` of it; of the shorter wait the share ``adding`` adds."""
    generator = np.random.default_rng(7)
    found = []
    for number in range(count):
        waited = (waits * generator.random(2)).tolist()
        wall = 1.0 + noise * float(generator.standard_normal()) + max(waited) + adding * min(waited)
        row = {"wall_s": work_s * wall, "rank_s": [work_s * wall] * 2, "phases": {}}
        row["waited_s"] = [work_s * one for one in waited]
        fields = {"parameters": {"work": work_s}, "layout": fixtures.layout(2, 1)} | more
        found.append(fixtures.record("solver", number, [row], **fields))
    return found


@pytest.mark.parametrize("adding", [0.0, 0.5, 1.0])
def test_the_share_is_recovered(adding):
    assert share_that_adds(launches(adding)) == pytest.approx(adding, abs=0.2)


def test_threads_of_one_rank_count_too():
    together = []
    for one in launches(1.0):
        (row,) = (own.as_dict() for own in one.repetitions)
        waited = row["waited_s"]
        own = {"rank_s": row["rank_s"][:1], "waited_s": [max(waited)], "waited_all_s": [sum(waited)]}
        together.append(fixtures.changed(one, repetitions=[row | own], layout=fixtures.layout(1, 2)))
    assert share_that_adds(together) == share_that_adds(launches(1.0))


def test_nothing_is_told_by_few_launches_or_where_nobody_waited_or_on_one_core():
    assert share_that_adds(launches(1.0, count=4)) == 0.0
    assert share_that_adds(launches(1.0, waits=1e-3)) == 0.0
    assert share_that_adds(launches(1.0, layout=fixtures.layout(1, 1))) == 0.0
    assert share_that_adds([]) == 0.0


def test_problems_count_together_each_with_its_own_time():
    assert share_that_adds([*launches(1.0), *launches(1.0, work_s=3.0)]) >= 0.8
