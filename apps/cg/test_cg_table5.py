"""The schedule at 16 processors against Table 5 of the AP1000+ paper (published/ap1000plus.toml, row CG)."""

import pytest
from communication import of_app


def test_schedule_has_the_published_counts():
    counted = of_app("cg", 16, "class=S", "communication=paper")
    assert counted.mean("broadcast") == 390  # sums of vectors: 15 x 26
    assert round(counted.mean("send")) == 366  # 390 x 15 / 16
    assert counted.mean("allreduce") == 810  # 15 x 54
    assert counted.mean("barrier") == 3135  # 15 x (25 x 8 + 9)
    assert counted.mean("put of a stride") == 390
    assert counted.message_bytes == 700.0  # the mean of 87 and 88 words
    for absent in ("put", "get", "get of a stride", "allgather"):
        assert counted.mean(absent) == 0, absent


@pytest.mark.parametrize("ranks", [1, 5, 16, 23])
def test_every_rank_but_one_sends_in_a_vector_sum(ranks):
    counted = of_app("cg", ranks, "class=S", "communication=paper")
    assert counted.total["send"] == counted.total["receive"] == 390 * (ranks - 1)


def test_gathering_needs_neither_barriers_nor_puts():
    counted = of_app("cg", 16, "class=S", "communication=allgather")
    assert counted.mean("allgather") == 390 and counted.mean("allreduce") == 810
    for absent in ("send", "barrier", "broadcast", "put of a stride"):
        assert counted.mean(absent) == 0, absent
