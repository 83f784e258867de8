"""Whether waits of several threads add, told by launches whose truth is known."""

import numpy as np
import pytest

from hakaru.facts.records.record import Repetition
from hakaru.foretell.models.waiting import share_that_adds


def launches(adding, count=12, waits=0.3, noise=0.02):
    """Each of two ranks works for a second and waits up to ``waits`` of it; of the shorter wait the share ``adding`` adds."""
    generator = np.random.default_rng(7)
    found = []
    for _ in range(count):
        one, other = waits * generator.random(2)
        wall = (1.0 + noise * generator.standard_normal()) + max(one, other) + adding * min(one, other)
        waited = (float(one), float(other))
        found.append(Repetition(wall_s=float(wall), rank_s=(float(wall),) * 2, phases={}, waited_s=waited))
    return found


@pytest.mark.parametrize("adding", [0.0, 0.5, 1.0])
def test_the_share_is_recovered(adding):
    assert share_that_adds([launches(adding)]) == pytest.approx(adding, abs=0.2)


def test_threads_of_one_rank_count_too():
    alone = launches(1.0)
    together = [
        Repetition(one.wall_s, one.rank_s[:1], {}, (max(one.waited_s),), (sum(one.waited_s),))
        for one in alone
    ]
    assert share_that_adds([together]) == share_that_adds([alone])


def test_nothing_is_told_by_few_launches_or_where_nobody_waited():
    assert share_that_adds([launches(1.0, count=4)]) == 0.0
    assert share_that_adds([launches(1.0, waits=1e-3)]) == 0.0
    assert share_that_adds([]) == 0.0


def test_points_count_together_each_with_its_own_time():
    longer = [
        Repetition(3.0 * one.wall_s, one.rank_s, {}, tuple(3.0 * wait for wait in one.waited_s))
        for one in launches(1.0)
    ]
    assert share_that_adds([launches(1.0), longer]) >= 0.8
