"""The schedule at 64 processors against Table 5 of the AP1000+ paper (published/ap1000plus.toml, row SCG)."""

import pytest
from communication import of_app

PAPER = ("n=200", "iterations=446")


def test_schedule_has_the_published_counts():
    counted = of_app("scg", 64, *PAPER, "acknowledgement=messages")
    assert counted.mean("allreduce") == 893  # 2 x 446 + 1
    assert round(counted.mean("put")) == 878  # 2 x 446 x 63 / 64
    assert round(counted.mean("send")) == 878
    assert counted.message_bytes == 1600.0
    for absent in ("barrier", "put of a stride", "get", "get of a stride", "broadcast"):
        assert counted.mean(absent) == 0, absent


def test_every_put_is_waited_for_and_answered():
    counted = of_app("scg", 64, *PAPER, "acknowledgement=messages")
    assert counted.total["flag_wait"] == counted.total["put"] == counted.total["send"]


def test_without_acknowledgements_the_published_sends_are_missing():
    """The deviation: nothing but an answer to each put explains as many sends as puts."""
    counted = of_app("scg", 64, *PAPER, "acknowledgement=none")
    assert counted.mean("send") == 0 and round(counted.mean("put")) == 878


@pytest.mark.parametrize("ranks", [1, 3, 200])
def test_counts_at_other_numbers_of_ranks(ranks):
    counted = of_app("scg", ranks, *PAPER)
    assert counted.total["put"] == 446 * 2 * (ranks - 1)
