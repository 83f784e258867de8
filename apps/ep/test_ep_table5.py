"""The schedule at 64 processors against Table 5 of the AP1000+ paper (published/ap1000plus.toml, row EP)."""

from communication import of_app


def test_nothing_is_communicated():
    assert not of_app("ep", 64, "class=A").total


def test_nothing_is_communicated_when_batches_do_not_divide():
    assert not of_app("ep", 7, "class=custom", "m=18").total
